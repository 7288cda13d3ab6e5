import Beacons
import Messages
import Testing

@testable import SiteCore

/// The keys of phones, which the aggregator stores and publishes for the gateways.
struct SitePhonesTests {
    private static let phone = Phone(key: IdentityKey("ec0234a357c8ad05341010a60a397d9b")!, name: "Anna's phone")
    private static let back = Phone(key: phone.key.reversed, name: "Anna")
    private static let other = Phone(key: IdentityKey(String(repeating: "1", count: 32))!, name: "Anna's phone")

    private func bytes(_ phone: Phone) -> [UInt8] { Phones([phone]).bytes }

    private func names(_ site: TestSite) throws -> [[String]] {
        try site.published(on: .phones).map { try Phones(parsing: Array($0.utf8)).phones.map(\.name) }
    }

    @Test func `nothing is published before the first list`() throws {
        var site = TestSite("")
        for _ in 1...2 { site.deliver(.addPhone, bytes(Self.phone)) }
        site.reconnect(after: 10)
        #expect(try names(site).isEmpty)
    }

    @Test func `a phone is added once whatever the order of its key's bytes, renamed, removed and added again`() throws
    {
        var site = TestSite("")
        site.deliver(.removePhone, Phones().bytes)
        for _ in 1...2 {
            site.forgetOutputs()
            for phone in [Self.phone, Self.phone, Self.other, Self.back] { site.deliver(.addPhone, bytes(phone)) }
            site.deliver(.addPhone, bytes(Self.phone), retained: true)
            for topic in [Topic.addPhone, .removePhone] {
                site.deliver(topic, Array("{\"v\":1,\"phones\":[{\"key\":\"Anna\",\"name\":\"Anna\"}]}".utf8))
            }
            #expect(try names(site) == [["Anna's phone"], ["Anna's phone"], ["Anna's phone"], ["Anna"]])
            site.forgetOutputs()
            for _ in 1...2 { site.deliver(.removePhone, bytes(Self.phone)) }
            #expect(try names(site) == [[], []])
        }
    }

    @Test func `the hundredth phone is the last, and a list of so many is read back`() throws {
        var site = TestSite("")
        site.deliver(.removePhone, Phones().bytes)
        for number in 0...Phones.most {
            let digits = String(number + 1)
            let key = try #require(IdentityKey(digits + String(repeating: "a", count: 32 - digits.count)))
            site.deliver(.addPhone, bytes(Phone(key: key, name: digits + String(repeating: "n", count: 250))))
        }
        #expect(try names(site).last?.count == Phones.most)
    }

    @Test func `the list of the writer counts, but a writer without one takes that of the broker`() throws {
        var site = TestSite("")
        var list = Phones()
        list.add(Self.phone)
        site.deliver(.phones, list.bytes, retained: true)
        for lost in [[], Phones().bytes] {
            site.deliver(.phones, lost, retained: true)
            site.forgetOutputs()
            site.reconnect(after: 10)
            #expect(try names(site).last == ["Anna's phone"])
        }
    }
}
