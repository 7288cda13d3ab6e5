import Glibc
import Linux

/// A folder for the files of one backup or restore, for this user alone. The folder is deleted at the end of its owner's lifetime; the next
/// one in the same place deletes what a crash left.
struct WorkFolder: ~Copyable {
    static let prefix = ".forgetmenot-work-"

    let path: String
    /// The lock by which others see that the folder is in use.
    private let lock: FileDescriptor

    init(in parent: String) throws(SystemError) {
        Self.removeLeftovers(in: parent)
        var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last("make a folder in \(parent)") }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        lock = FileDescriptor(owning: open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
        _ = flock(lock.number, LOCK_EX)
    }

    deinit { Self.remove(path) }

    func file(_ name: String) -> String { path + "/" + name }

    private static func removeLeftovers(in parent: String) {
        for name in (try? StateFolder(path: parent).entries()) ?? [] where name.hasPrefix(prefix) {
            var status = stat()
            guard let folder = try? FileDescriptor(opening: "\(parent)/\(name)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
                fstat(folder.number, &status) == 0, status.st_uid == geteuid(),
                flock(folder.number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            remove("\(parent)/\(name)")
        }
    }

    private static func remove(_ path: String) {
        _ = try? Subprocess(["rm", "-rf", "--", path], input: []).waitForEnd()
    }
}
