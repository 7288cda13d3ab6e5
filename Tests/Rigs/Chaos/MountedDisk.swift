import Glibc
import Linux
import TestBroker

/// A file system that is mounted for as long as this lives. Root alone may have one.
final class MountedDisk {
    let path: String

    /// One of 64 kB, in memory.
    convenience init(small path: String) throws {
        try self.init(at: path, ["-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs"])
    }

    /// The file system in the file `image`; after a power cut it is repaired from its log.
    convenience init(image: String, at path: String) throws {
        try self.init(at: path, ["-o", "loop", image])
    }

    private init(at path: String, _ words: [String]) throws {
        self.path = path
        try StateFolder(path: path).make()
        try Self.run(["mount"] + words + [path])
    }

    deinit { unmount() }

    /// Takes it away; what still uses it is about to end.
    func unmount() {
        _ = try? Child(["umount", "--lazy", path]).waitForEnd()
    }

    /// Makes a file system in a new file of `megabytes`.
    static func make(_ type: String, megabytes: Int, at image: String) throws {
        try run(["truncate", "-s", "\(megabytes)M", image])
        try run(["mkfs.\(type)", "-q", image])
    }

    private static func run(_ words: [String]) throws {
        guard try Child(words).waitForEnd() == 0 else {
            throw TestBrokerError("\(words.joined(separator: " ")) failed")
        }
    }
}
