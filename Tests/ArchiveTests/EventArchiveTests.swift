import Beacons
import Foundation
import Glibc
import EventLogs
import Linux
import Testing

@Suite("The event log on disk")
struct EventArchiveTests {
    @Test func `an entry among the segments that is no regular file delays no start, and costs no other segment`()
        throws
    {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(path)
            fixture.happen(3)
            fixture.keep(after: 1)
            try #require(mkfifo(path + "/events/2.log", 0o600) == 0)
            try #require(symlink("/dev/zero", path + "/events/3.log") == 0)
            fixture.restart()
            #expect(fixture.log.spans == [EventSpan(boot: "1.aaaa", seqs: 1...3)])
            fixture.happen(2)
            fixture.keep(after: 1)
            #expect(fixture.archive.problem == nil)
            fixture.restart()
            #expect(fixture.events(of: "2.aaaa", 1...9).count == 2)
        }
    }

    @Test func `the archive has the events of earlier runs after a restart, and the undelivered ones in order`()
        throws
    {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(path)
            fixture.happen(3)
            fixture.keep(after: 1)
            fixture.deliver(2)
            fixture.restart()
            #expect(fixture.log.spans == [EventSpan(boot: "1.aaaa", seqs: 1...3)])
            #expect(fixture.events(of: "1.aaaa", 1...9) == [1, 2, 3].map { #"{"id":"1.aaaa-\#($0)"}"# })
            fixture.happen(2)
            fixture.keep(after: 1)
            #expect(fixture.log.undelivered == 5)
            fixture.delivered = []
            fixture.deliver()
            // The mark is written lazily: a double is known by its id, a loss would be one.
            let ids = [1, 2, 3].map { Place(boot: "1.aaaa", seq: $0) } + [1, 2].map { Place(boot: "2.aaaa", seq: $0) }
            #expect(fixture.delivered.map(\.place) == ids)
            #expect(fixture.delivered.map(\.topic) == Array(repeating: "forgetmenot/event", count: 5))
        }
    }

    @Test func `a delivered event is not delivered again once that is on the disk`() throws {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(path)
            fixture.happen(3)
            fixture.keep(after: 1)
            fixture.deliver()
            fixture.keep(after: 2)
            fixture.restart()
            #expect(fixture.log.undelivered == 0)
            fixture.deliver()
            #expect(fixture.delivered.count == 3)
            #expect(fixture.events(of: "1.aaaa", 1...3).count == 3)
        }
    }

    @Test func `the first event after a quiet time is written at once, more of them together`() throws {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(path)
            fixture.happen()
            fixture.keep(after: 5)
            #expect(fixture.log.unstored == 0)
            fixture.happen(10)
            fixture.keep(after: 0.5)
            #expect(fixture.log.unstored == 10)
            #expect(fixture.archive.nextDeadline == .zero + .seconds(fixture.seconds + 0.5))
            fixture.deliver()
            #expect(fixture.delivered.count == 1)
            fixture.keep(after: 0.5)
            #expect(fixture.log.unstored == 0)
            // Fifty do not wait.
            fixture.happen(50)
            fixture.keep()
            #expect(fixture.log.unstored == 0)
        }
    }

    @Test func `each event is written at once where that is asked for`() throws {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(
                path, limits: EventWriter.Limits(bytes: 1 << 20, age: .seconds(60), within: .zero))
            for _ in 0..<3 {
                fixture.happen()
                fixture.keep()
                #expect(fixture.log.unstored == 0)
            }
        }
    }

    @Test func `the events of a long outage are stored on disk, and delivered from there in order, in bounded memory`()
        throws
    {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(
                path, limits: EventWriter.Limits(bytes: 64 << 20, age: .seconds(86_400), within: .seconds(1)))
            for _ in 0..<600 {
                fixture.happen(50)
                fixture.keep()
            }
            #expect(fixture.log.undelivered == 30_000)
            #expect(fixture.log.firstInMemory > 20_000)
            fixture.deliver(30_000, acknowledging: true)
            #expect(fixture.delivered.map(\.seq) == Array(1...30_000))
            #expect(fixture.log.lost == 0)
        }
    }

    @Test func `in groups of fifty an event costs the card six hundred bytes at most`() throws {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(path)
            let before = try writtenBytes()
            for _ in 0..<40 {
                fixture.happen(50, padding: 410)
                fixture.keep(after: 1)
            }
            #expect(fixture.log.unstored == 0)
            // Where the temporary folder is in memory nothing is written at all.
            let each = (try writtenBytes() - before) / 2000
            #expect(each <= 600)
        }
    }

    /// What this thread has given the kernel to write to disks, in whole pages.
    private func writtenBytes() throws -> Int {
        let text = String(decoding: try readFile(at: "/proc/thread-self/io", limit: 4096), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes: ") }
        return Int(line?.dropFirst(13) ?? "") ?? 0
    }

    @Test func `beyond its size the oldest are dropped, and what was not delivered is counted`() throws {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(
                path, limits: EventWriter.Limits(bytes: 1 << 20, age: .seconds(60), within: .seconds(1)))
            for _ in 0..<900 {
                fixture.happen(50)
                fixture.keep()
            }
            let span = fixture.log.spans[0].seqs
            #expect(span.lowerBound > 1 && span.upperBound == 45_000)
            #expect(fixture.log.lost == span.lowerBound - 1)
            let size = try fixture.files.reduce(0) { try $0 + readFile(at: $1).count }
            #expect(size <= 1 << 20 && size > 700_000)
            fixture.deliver()
            #expect(fixture.delivered.map(\.seq) == Array(span))
        }
    }

    @Test func `delivered events are dropped when they are old, by a clock that is right`() throws {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(path)
            fixture.happen()
            fixture.keep(after: 1)
            fixture.deliver()
            fixture.keep(after: 2)
            fixture.restart()
            fixture.happen()
            fixture.keep(after: 86_000)
            #expect(fixture.files.count == 2)
            fixture.happen()
            fixture.keep(after: 1000)
            #expect(fixture.log.spans == [EventSpan(boot: "2.aaaa", seqs: 1...2)])
            #expect(fixture.files.count == 1)
        }
    }

    @Test func `a damaged log starts, and its intact part stays`() throws {
        try withTemporaryFolder { path in
            var random = SystemRandomNumberGenerator()
            var fixture = ArchiveFixture(path)
            for _ in 0..<4 {
                fixture.happen(5)
                fixture.keep(after: 1)
            }
            let file = fixture.files[0]
            let original = try readFile(at: file)
            for _ in 0..<200 {
                var bytes = original
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
                try replaceFile(at: file, with: bytes)
                fixture.restart()
                #expect(fixture.archive.problem == nil)
                #expect(fixture.archive.damage?.contains("are damaged and were skipped") == true)
                let seqs = fixture.log.spans.flatMap(\.seqs)
                #expect(seqs.count == 15 && fixture.log.undelivered == 15)
                #expect(fixture.events(of: "1.aaaa", 1...20).count == 15)
            }
        }
    }

    @Test func `each damage of a log is reported by one start alone, also a second damage of another segment`() throws {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(path)
            for segment in 0..<2 {
                fixture.happen(3)
                fixture.keep(after: 1)
                var bytes = try readFile(at: fixture.files[segment])
                bytes[bytes.count / 2] ^= 1
                try replaceFile(at: fixture.files[segment], with: bytes)
                fixture.restart()
                #expect(fixture.archive.damage?.contains("are damaged and were skipped") == true, "\(segment)")
                for _ in 1...2 {
                    fixture.restart()
                    #expect(fixture.archive.damage == nil, "\(segment)")
                }
            }
        }
    }

    @Test func `a segment that is deleted underneath is written again as far as memory has it`() throws {
        try withTemporaryFolder { path in
            var fixture = ArchiveFixture(path)
            fixture.happen(3)
            fixture.keep(after: 1)
            try FileManager.default.removeItem(atPath: path + "/events")
            fixture.happen()
            fixture.keep(after: 2)
            #expect(fixture.archive.problem == nil)
            fixture.restart()
            #expect(fixture.events(of: "1.aaaa", 1...4).count == 4)
        }
    }

    @Test func `a file that is no segment is left alone`() throws {
        try withTemporaryFolder { path in
            try StateFolder(path: path + "/events").make()
            try replaceFile(at: path + "/events/notes.txt", with: [1])
            try replaceFile(at: path + "/events/007.log", with: [1])
            try replaceFile(at: path + "/events/9.log", with: Array("nonsense".utf8))
            try FileManager.default.createDirectory(atPath: path + "/events/12.log", withIntermediateDirectories: false)
            var fixture = ArchiveFixture(path)
            fixture.happen()
            fixture.keep(after: 1)
            #expect(fixture.archive.problem == nil)
            #expect(try readFile(at: path + "/events/notes.txt") == [1])
            #expect(access(path + "/events/13.log", F_OK) == 0)
            #expect(fixture.archive.damage?.contains("12.log") == true)
        }
    }
}
