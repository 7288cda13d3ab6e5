import Beacons
import Messages
import SiteTestSupport
import Testing

@testable import SiteCore

/// The site on disk: a whole file now and then, and a line for each change.
struct SiteFilesTests {
    /// What has to survive a kill: all but when items were last seen, which is on disk with their next change.
    private func essence(_ site: StoredSite?) -> [UInt8] {
        guard var site else { return [] }
        for index in site.states.indices { site.states[index].lastSeenAt = nil }
        (site.generation, site.writtenAt) = (nil, nil)
        return site.bytes
    }

    @Test(arguments: 1...3)
    func `the disk has the site after many changes, and the next process continues from there`(seed: UInt64) throws {
        var host = try DrivenSite()
        host.importItems(0..<40)
        for id in ["kitchen", "hall", "attic"] { host.gateway(id) }
        var random = SplitMix64(seed: seed)
        for step in 0..<300 {
            let number = Int.random(in: 0..<40, using: &random)
            let gateway = ["kitchen", "hall", "attic"].randomElement(using: &random)!
            switch Int.random(in: 0..<8, using: &random) {
            case 0: host.ask("items/remove", #"{"name":"Thing \#(number)"}"#)
            case 1: host.importItems(number..<number + 1)
            case 2: host.ask("items/rename", #"{"name":"Thing \#(number)","new_name":"Other \#(step)"}"#)
            case 3: host.ask("regions/add", #"{"identifier":"Region \#(number)","uuid":"\#(DrivenSite.uuid)"}"#)
            case 4: host.ask("regions/remove", #"{"name":"Region \#(number)"}"#)
            case 5: host.event(.exit, number, at: gateway)
            default: host.event(.enter, number, at: gateway)
            }
            if step % 3 == 0 { host.advance(to: host.now + 1) }
            if step % 20 == 0 { host.gateway(gateway) }
        }
        // The budget for the card has recovered by then.
        for _ in 0..<3 {
            host.now += 100_000
            host.handle(.timePassed)
        }
        #expect(host.disk.files["site.log"] != nil)
        let stored = try TestDisk.stored(host.disk.files)
        #expect(essence(stored) == essence(host.driver.pipeline.stored))
        let next = try DrivenSite(boot: "4.next", files: host.disk.files)
        #expect(next.driver.pipeline.registry.items == host.driver.pipeline.registry.items)
        #expect(next.driver.pipeline.registry.revision == host.driver.pipeline.registry.revision)
    }

    @Test func `importing 1,000 items writes less than 2 MB`() throws {
        var host = try DrivenSite()
        for first in stride(from: 0, to: 1000, by: 100) { host.importItems(first..<first + 100) }
        #expect(host.driver.pipeline.registry.items.count == 1000)
        #expect(host.disk.bytesWritten < 2 << 20, "\(host.disk.bytesWritten) bytes")
    }

    @Test func `one change of a site of 5,000 items writes one short line`() throws {
        var host = try DrivenSite()
        for first in stride(from: 0, to: 5000, by: 200) { host.importItems(first..<first + 200) }
        host.ask("items/rename", #"{"name":"Thing 1","new_name":"Keys"}"#)
        (host.disk.bytesWritten, host.disk.writes) = (0, 0)
        host.ask("items/rename", #"{"name":"Thing 2","new_name":"Wallet"}"#)
        #expect(host.disk.writes == 1)
        #expect(host.disk.bytesWritten < 1500, "\(host.disk.bytesWritten) bytes")
    }

    @Test func `of a line that a power cut tore, nothing is read, and of the lines before everything`() throws {
        var host = try DrivenSite()
        host.importItems(0..<10)
        host.importItems(10..<11)
        let whole = try #require(host.disk.files["site.log"]).count
        host.importItems(11..<12)
        let end = host.disk.files["site.log"]!.count
        try #require(end > whole)
        for length in [whole, whole + 1, whole + 40, end - 1] {
            var files = host.disk.files
            files["site.log"] = Array(files["site.log"]!.prefix(length))
            #expect(try TestDisk.stored(files)?.items.count == 11)
        }
        var files = host.disk.files
        files["site.log"]![whole + 30] ^= 1
        #expect(try TestDisk.stored(files)?.items.count == 11)
        #expect(try TestDisk.stored(host.disk.files)?.items.count == 12)
    }

    @Test func `a damaged line is passed over and counted, and the torn end of the log is not`() throws {
        var host = try DrivenSite()
        host.importItems(0..<10)
        for number in 10..<14 { host.importItems(number..<number + 1) }
        let log = try #require(host.disk.files["site.log"])
        let site = try StoredSite(parsing: host.disk.files["site.json"]!)
        #expect(site.applying(log: log).unread == 0)
        #expect(site.applying(log: Array(log.dropLast(5))).unread == 0)
        var damaged = log
        let second = log.firstIndex(of: UInt8(ascii: "\n"))! + 20
        damaged[second] ^= 1
        #expect(site.applying(log: damaged).unread == 1)
        #expect(site.applying(log: damaged).site.items.count == site.applying(log: log).site.items.count - 1)
    }

    @Test func `lines that continue another site file are not read`() throws {
        var host = try DrivenSite()
        host.importItems(0..<10)
        host.importItems(10..<11)
        var files = host.disk.files
        var site = try StoredSite(parsing: files["site.json"]!)
        site.generation = "4.next-1"
        files["site.json"] = site.bytes
        #expect(try TestDisk.stored(files)?.items.count == site.items.count)
        site.generation = nil
        files["site.json"] = site.bytes
        #expect(try TestDisk.stored(files)?.items.count == site.items.count, "a file of a version without a log")
    }

    @Test func `a line that could not be written is followed by the whole site`() throws {
        var host = try DrivenSite()
        host.importItems(0..<10)
        host.importItems(10..<11)
        host.driver.handle(.replaced(.changes, problem: "the disk is full"), at: TestSite.moment(host.now))
        let former = host.disk.files["site.json"]
        host.importItems(11..<12)
        #expect(host.disk.files["site.json"] != former)
        #expect(try StoredSite(parsing: host.disk.files["site.json"]!).items.count == 12)
    }
}
