import Beacons
import Foundation
import Testing
import Text

private let identity = "f7826da6-4fa2-4e98-8024-bc5b71e0893e/1/2"

@Suite struct MakeIDTests {
    @Test func `the names in the reference become the documented ids`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = root.appending(path: "Documentation/Forgetmenot.docc/Rules/Identifiers.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## Ids\n").last)
        let rows = section.matches(of: /\n\| `([^`]+)` \| `([^`]+)`/)
        #expect(rows.count == 4)
        for row in rows {
            let id = makeID(from: String(row.1), kind: .item, identity: identity)
            #expect(id.hasPrefix(String(row.2)), "\(row.1)")
            #expect(id == row.2 || row.2 == "item-", "\(row.1)")
        }
    }

    @Test(arguments: [
        ("Laptop bag", "laptop-bag"),
        ("KEYS", "keys"),
        ("  Grandma's   keys! ", "grandma-s-keys"),
        ("v1.2_beta-3", "v1.2_beta-3"),
        ("..._-x", "x"),
        ("Küche", "kuche"),
        ("Café crème", "cafe-creme"),
        ("Ångström", "angstrom"),
        ("e\u{301}\u{323}x", "ex"),
        ("Nguyễn", "nguyen"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full-width"),
        ("ﬁle ①", "file-1"),
        ("\u{212A}elvin", "kelvin"),
        ("İzmir", "izmir"),
        ("का2 bag", "2-bag"),  // the vowel sign goes with the letter that carries it
        ("aก็b", "a-b"),
        ("1\u{FE0F}\u{20E3} bag", "1-bag"),
        ("Straße", "stra-e"),
        ("电脑包 2", "2"),
        ("Сумка bag", "bag"),
        ("a\u{0}b", "a-b"),
        ("bag 👩‍🚀", "bag"),
    ])
    func `an id consists of the permitted characters of the name`(name: String, id: String) {
        #expect(makeID(from: name, kind: .item, identity: identity) == id)
        #expect(isValidID(id))
    }

    // printf 'f7826da6-4fa2-4e98-8024-bc5b71e0893e/1/2' | sha256sum
    @Test(arguments: ["", "电脑包", "ключи", "🎒", "---", "المفاتيح"])
    func `a name without permitted characters is replaced by the identity's hash`(name: String) {
        #expect(makeID(from: name, kind: .item, identity: identity) == "item-cd3808")
        #expect(makeID(from: name, kind: .region, identity: identity) == "region-cd3808")
    }

    @Test func `a region's identity omits missing parts`() throws {
        let uuid = try #require(BeaconUUID("F7826DA6-4FA2-4E98-8024-BC5B71E0893E"))
        #expect(Region.Scope.uuid(uuid).identity == "f7826da6-4fa2-4e98-8024-bc5b71e0893e")
        #expect(Region.Scope.major(uuid, 1).identity == "f7826da6-4fa2-4e98-8024-bc5b71e0893e/1")
        let beacon = BeaconIdentity(uuid: uuid, major: 1, minor: 2)
        #expect(Region.Scope.beacon(beacon).identity == identity)
        #expect(Region.Scope.beacon(beacon).identity == beacon.description)
    }

    @Test func `a taken id gets the first number that is free`() {
        let taken: Set = ["bag", "bag-2", "bag-3"]
        #expect(makeID(from: "Bag", kind: .item, identity: identity, isTaken: taken.contains) == "bag-4")
        #expect(makeID(from: "包", kind: .item, identity: identity) { $0 == "item-cd3808" } == "item-cd3808-2")
    }

    @Test func `an id has at most 64 characters, with its number`() {
        let long = String(repeating: "a", count: 70)
        let first = makeID(from: long, kind: .item, identity: identity)
        #expect(first == String(repeating: "a", count: 64))
        let second = makeID(from: long, kind: .item, identity: identity) { $0 == first }
        #expect(second == String(repeating: "a", count: 62) + "-2")
        // The cut is behind a hyphen, which is trimmed.
        let hyphen = String(repeating: "a", count: 63) + " b"
        #expect(makeID(from: hyphen, kind: .item, identity: identity) == String(repeating: "a", count: 63))
        let early = String(repeating: "a", count: 61) + " bcd"
        let numbered = makeID(from: early, kind: .item, identity: identity) { !$0.hasSuffix("-2") }
        #expect(numbered == String(repeating: "a", count: 61) + "-2")
    }

    @Test func `every name yields a valid id`() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<3000 {
            let scalars = (0..<generator.next(below: 90)).compactMap { _ in
                Unicode.Scalar(UInt32(generator.next(below: generator.next(below: 4) == 0 ? 0x11_0000 : 0x180)))
            }
            var name = String.UnicodeScalarView()
            name.append(contentsOf: scalars)
            let id = makeID(from: String(name), kind: .region, identity: identity) { !$0.hasSuffix("-4") }
            #expect(isValidID(id), "\(String(name).debugDescription)")
        }
    }

    @Test(arguments: ["a", "0", "laptop-bag", "a_.-", String(repeating: "z", count: 64)])
    func `a valid id is accepted`(text: String) {
        #expect(isValidID(text))
    }

    @Test(arguments: [
        "", "-a", ".a", "_a", "A", "a b", "a/b", "a+", "#", "ä", "a\u{0}", String(repeating: "z", count: 65),
    ])
    func `an invalid id is refused`(text: String) {
        #expect(!isValidID(text))
    }
}

extension SplitMix64 {
    fileprivate mutating func next(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
