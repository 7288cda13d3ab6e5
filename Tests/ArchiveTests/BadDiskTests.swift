import Foundation
import Glibc
import EventLogs
import Testing

/// Whether a file system can be mounted here.
private let canMount: Bool = {
    guard geteuid() == 0, let path = try? mountPoint() else { return false }
    defer { rmdir(path) }
    guard mount("none", path, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(path, Int32(MNT_DETACH)) == 0
}()

private func mountPoint() throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "forgetmenot-\(UUID())")
    try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
    return path.path
}

@Suite("The event log on a bad disk", .enabled(if: canMount, "skipped: nothing can be mounted here"))
struct BadDiskTests {
    private func withSmallDisk(_ body: (String) throws -> Void) throws {
        let path = try mountPoint()
        defer { rmdir(path) }
        try #require(mount("none", path, "tmpfs", 0, "size=64k") == 0)
        defer { umount2(path, Int32(MNT_DETACH)) }
        try body(path)
    }

    private func remount(_ path: String, _ flags: Int) throws {
        try #require(mount("none", path, "tmpfs", UInt(Int(MS_REMOUNT) | flags), "size=64k") == 0)
    }

    @Test func `a full disk is reported, events are published from memory, and are written once there is room`() throws
    {
        try withSmallDisk { path in
            var fixture = ArchiveFixture(path)
            fixture.happen(3)
            fixture.keep(after: 1)
            let filler = path + "/filler"
            let room = open(filler, O_WRONLY | O_CREAT, 0o600)
            let block = [UInt8](repeating: 1, count: 4096)
            while write(room, block, block.count) > 0 {}
            close(room)
            for _ in 0..<20 {
                fixture.happen(100)
                fixture.keep(after: 6)
                fixture.deliver()
            }
            #expect(fixture.archive.problem?.hasPrefix("the state folder \(path) is full") == true)
            #expect(fixture.delivered.map(\.seq) == Array(1...2003))
            // Nothing was left behind by the attempts.
            #expect(fixture.files.count <= 2)
            unlink(filler)
            fixture.happen()
            fixture.keep(after: 1)
            #expect(fixture.archive.problem != nil)
            fixture.keep(after: 6)
            // 64 kB do not hold it all: what fits was written, and the rest is in memory.
            let stored = fixture.log.catalogue.bytes
            #expect(stored > 20_000)
            fixture.restart()
            let span = try #require(fixture.log.spans.first)
            #expect(span.seqs.lowerBound == 1)
            #expect(fixture.events(of: "1.aaaa", span.seqs).count == span.seqs.count)
        }
    }

    @Test func `a disk that is read-only for a while misses nothing in the end`() throws {
        try withSmallDisk { path in
            var fixture = ArchiveFixture(path)
            fixture.happen(3)
            fixture.keep(after: 1)
            fixture.restart()
            try remount(path, Int(MS_RDONLY))
            fixture.happen(3)
            fixture.keep(after: 2)
            #expect(fixture.archive.problem?.hasPrefix("the state folder \(path) is read-only") == true)
            fixture.deliver()
            #expect(
                fixture.delivered.map(\.place.boot) == ["1.aaaa", "1.aaaa", "1.aaaa", "2.aaaa", "2.aaaa", "2.aaaa"])
            try remount(path, 0)
            fixture.keep(after: 6)
            #expect(fixture.archive.problem == nil)
            fixture.restart()
            #expect(fixture.events(of: "2.aaaa", 1...6).count == 3)
        }
    }

    @Test func `a folder that was not there at the start is read when it comes, and its events are delivered`() throws {
        let path = try mountPoint()
        defer { rmdir(path) }
        try withSmallDisk { disk in
            var fixture = ArchiveFixture(disk)
            fixture.happen(3)
            fixture.keep(after: 1)
            // The next start finds nothing where the disk should be.
            var next = ArchiveFixture(path, boot: 2)
            next.happen(2)
            next.keep(after: 1)
            next.deliver()
            #expect(next.delivered.map(\.seq) == [1, 2])
            try #require(mount(disk, path, nil, UInt(MS_BIND), nil) == 0)
            defer { umount2(path, Int32(MNT_DETACH)) }
            next.happen()
            next.keep(after: 2)
            next.deliver()
            #expect(next.archive.problem == nil)
            #expect(next.delivered.dropFirst(2).map(\.seq) == [1, 2, 3, 3])
            next.restart()
            #expect(next.log.spans.map(\.boot) == ["1.aaaa", "2.aaaa"])
        }
    }
}
