import Glibc

/// A process's lock on a state folder: a lock on the file `lock` in it, which the kernel releases when the process
/// ends.
package final class StateLock: Sendable {
    private let descriptor: FileDescriptor

    /// Locks `folder`, which is created if necessary. Throws EAGAIN if another process holds the lock.
    package init(_ folder: StateFolder) throws(SystemError) {
        let path = folder.file("lock")
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var number = open(path, flags, 0o640)
        if number < 0, errno == ENOENT {
            try folder.make()
            number = open(path, flags, 0o640)
        }
        guard number >= 0 else { throw .last("open \(path)") }
        giveToFolderOwner(number, at: path)
        descriptor = FileDescriptor(owning: number)
        var claim = Self.wholeFile
        guard fcntl(number, F_SETLK, &claim) == 0 else {
            throw SystemError("lock \(path)", code: errno == EACCES ? EAGAIN : errno)
        }
        write("")
    }

    /// Replaces what `note(in:)` returns while this process holds the lock. The file is not synced, because the note ends with the process.
    package func write(_ note: String) {
        let bytes = Array(note.utf8)
        guard ftruncate(descriptor.number, 0) == 0 else { return }
        _ = pwrite(descriptor.number, bytes, bytes.count, 0)
    }

    /// What the process that holds the lock on `folder` has written last; empty if that is nothing. Like `holder`, not for that process itself.
    package static func note(in folder: StateFolder) -> String {
        String(decoding: (try? readOwnFile(at: folder.file("lock"), limit: 1 << 16)) ?? [], as: UTF8.self)
    }

    /// Locks `folder` for a service. `service` is the name of the service in the error if another process holds the
    /// lock.
    ///
    /// If the folder is not writable, the result is `nil`, and the first write to the folder reports the problem.
    package static func claim(_ folder: StateFolder, for service: String) throws(Failure) -> StateLock? {
        do throws(SystemError) {
            return try StateLock(folder)
        } catch {
            guard error.code == EAGAIN else { return nil }
            var process = ""
            if let holder = try? holder(of: folder) { process = " (process \(holder))" }
            throw Failure(
                .unavailable,
                "another \(service)\(process) uses \(folder.path): stop it, or give this one its own state_directory"
            )
        }
    }

    /// The process that holds the lock on `folder`, found without locking; `nil` if there is none or the folder does
    /// not exist.
    ///
    /// A process must not call this for a folder that it has locked itself: the kernel releases the lock when any
    /// descriptor of the file is closed.
    package static func holder(of folder: StateFolder) throws(SystemError) -> Int32? {
        let path = folder.file("lock")
        let number = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw .last("open \(path)")
        }
        let file = FileDescriptor(owning: number)
        var claim = Self.wholeFile
        guard fcntl(file.number, F_GETLK, &claim) == 0 else { throw .last("ask about \(path)") }
        return claim.l_type == Int16(F_UNLCK) ? nil : claim.l_pid
    }

    /// A lock on the whole file for this process alone.
    private static var wholeFile: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }
}
