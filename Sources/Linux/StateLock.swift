import Glibc

/// A process's claim to a state folder: a lock on the file `lock` in it, which the kernel takes back when the process ends, however it ends.
public final class StateLock: Sendable {
    private let descriptor: FileDescriptor

    /// Claims `folder`, which is made if need be. EAGAIN says that another process has it.
    public init(_ folder: StateFolder) throws(SystemError) {
        let path = folder.file("lock")
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var number = open(path, flags, 0o640)
        if number < 0, errno == ENOENT {
            try folder.make()
            number = open(path, flags, 0o640)
        }
        guard number >= 0 else { throw .last("open \(path)") }
        descriptor = FileDescriptor(owning: number)
        var claim = Self.wholeFile
        guard fcntl(number, F_SETLK, &claim) == 0 else {
            throw SystemError("lock \(path)", code: errno == EACCES ? EAGAIN : errno)
        }
    }

    /// Claims `folder` for a service; `service` is what the sentence calls it where another process has the folder.
    ///
    /// A folder that cannot be written is nobody's, which is `nil`; who writes there first reports that.
    public static func claim(_ folder: StateFolder, for service: String) throws(Failure) -> StateLock? {
        do throws(SystemError) {
            return try StateLock(folder)
        } catch {
            guard error.code == EAGAIN else { return nil }
            var process = ""
            if let holder = try? holder(of: folder) { process = " (process \(holder))" }
            throw Failure(
                .unavailable,
                "another \(service)\(process) works in \(folder.path): end it, or give this one a state_directory of its own"
            )
        }
    }

    /// The process that has claimed `folder`, which is only looked at; `nil` where none has, or where there is no such folder.
    ///
    /// Not for the process that has claimed it itself: the kernel drops a claim when its process closes the file once more.
    public static func holder(of folder: StateFolder) throws(SystemError) -> Int32? {
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

    /// All of the file, for this process alone.
    private static var wholeFile: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }
}
