import Beacons
import Foundation
import Linux
import Testing

@Suite("The state folder")
struct StateFolderTests {
    @Test func `a missing folder is created with its parents`() throws {
        try withTemporaryFolder { path in
            let folder = StateFolder(path: path + "/a/b/c")
            try folder.replace("file", with: Array("hello".utf8))
            #expect(try readFile(at: path + "/a/b/c/file") == Array("hello".utf8))
        }
    }

    @Test func `a replaced file is complete, and no temporary file remains`() throws {
        try withTemporaryFolder { path in
            let folder = StateFolder(path: path)
            try folder.replace("file", with: [1, 2, 3])
            try folder.replace("file", with: [4])
            #expect(try readFile(at: folder.file("file")) == [4])
            #expect(try folder.entries() == ["file"])
        }
    }

    @Test func `the error for a folder that cannot be created names the folder and the reason`() throws {
        try withTemporaryFolder { path in
            try replaceFile(at: path + "/file", with: [])
            let failure = #expect(throws: SystemError.self) { try StateFolder(path: path + "/file/state").make() }
            #expect(failure?.description == "cannot make the folder \(path)/file/state: Not a directory")
        }
    }

    @Test func `the counter of a restored folder is above all starts since its backup, and never goes back`() throws {
        try withTemporaryFolder { path in
            let (folder, former) = (StateFolder(path: path + "/restored"), StateFolder(path: path + "/former"))
            func raised(since backup: WallTime, _ last: String = "17\n") throws -> UInt32 {
                try folder.replace("boot", with: Array(last.utf8))
                try BootCounter.raise(in: folder, after: former, since: backup)
                return BootCounter(in: folder).epoch
            }
            #expect((3617...3720).contains(Int(try raised(since: Clock.wall - .seconds(3600)) - 101)))
            // A machine whose clock was never set.
            #expect(try raised(since: Clock.wall + .seconds(3600)) > 31_536_000)
            #expect(try raised(since: Clock.wall, "nonsense\n") > 100)
            try former.replace("boot", with: Array("5000\n".utf8))
            #expect(try raised(since: Clock.wall) == 5001)
        }
    }

    @Test func `the counter counts every start`() throws {
        try withTemporaryFolder { path in
            let folder = StateFolder(path: path + "/state")
            #expect((1...3).map { _ in BootCounter(in: folder).epoch } == [1, 2, 3])
        }
    }

    @Test func `an unreadable counter restarts at one`() throws {
        try withTemporaryFolder { path in
            try replaceFile(at: path + "/boot", with: Array("99999999999999999999 elephants".utf8))
            #expect(BootCounter(in: StateFolder(path: path)).epoch == 1)
        }
    }

    @Test func `a counter that is there and cannot be read is a problem, each time, and the next start counts on`()
        throws
    {
        try withTemporaryFolder { path in
            for _ in 1...2 {
                try replaceFile(at: path + "/boot", with: Array(String(repeating: "7", count: 100).utf8))
                let boot = BootCounter(in: StateFolder(path: path))
                #expect(boot.epoch == 1)
                let problem = try #require(boot.problem)
                #expect("\(problem)".hasPrefix("cannot read \(path)/boot, so that run ids begin again at 1: "))
                let next = BootCounter(in: StateFolder(path: path))
                #expect(next.epoch == 2 && next.problem == nil)
            }
        }
    }

    /// As after `sudo forgetmenot run` in the folder of the service's user.
    @Test(.enabled(if: geteuid() == 0, "only root makes files for others"))
    func `what root makes in a folder of another user belongs to that user, each time`() throws {
        try withTemporaryFolder { path in
            let folder = StateFolder(path: path + "/state")
            try folder.make()
            try #require(chown(folder.path, 65_534, 65_534) == 0)
            for round in 1...2 {
                let events = StateFolder(path: folder.path + "/events-\(round)")
                try events.make()
                try folder.replace("site-\(round)", with: [1])
                _ = BootCounter(in: folder)
                _ = try FileDescriptor(opening: events.file("segment"), O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
                _ = try StateLock(events)
                let made = [
                    events.path, folder.file("site-\(round)"), folder.file("boot"), events.file("segment"),
                    events.file("lock"),
                ]
                for path in made {
                    var status = stat()
                    try #require(lstat(path, &status) == 0, "\(path)")
                    #expect(status.st_uid == 65_534 && status.st_gid == 65_534, "\(path)")
                }
            }
        }
    }

    @Test func `a counter that cannot be stored has a problem`() throws {
        try withTemporaryFolder { path in
            try replaceFile(at: path + "/file", with: [])
            let boot = BootCounter(in: StateFolder(path: path + "/file/state"))
            #expect(boot.epoch == 1)
            #expect(boot.problem != nil)
        }
    }
}

/// Runs `body` with a new empty folder, and deletes the folder afterwards.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "forgetmenot-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
}
