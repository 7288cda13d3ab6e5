import Glibc

/// An open descriptor that is closed at the end of its owner's lifetime.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The kernel's number of the descriptor; do not close it.
    package let number: Int32

    /// Takes ownership of `number`, which no other code may close.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Opens the file at `path`, for this process alone. With O_CREAT the file belongs to the owner of its folder, if root opens it. An error names the path, and the `verb` that was to be done with it.
    package init(
        opening path: String, _ flags: Int32, mode: mode_t = 0, to verb: String = "open"
    ) throws(SystemError) {
        let number = open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw .last("\(verb) \(path)") }
        if flags & O_CREAT != 0 { giveToFolderOwner(number, at: path) }
        self.init(owning: number)
    }

    deinit {
        close(number)
    }
}

/// Gives what root has just made at `path` to the owner of its folder: after one start by root, a service can still read its own files. A second
/// link may be a trap of that owner's for a file of root's elsewhere.
func giveToFolderOwner(_ number: Int32, at path: String) {
    var (made, status) = (stat(), stat())
    guard geteuid() == 0, fstat(number, &made) == 0, made.st_uid == 0, stat(folder(of: path), &status) == 0,
        status.st_uid != 0, made.st_nlink == 1 || made.st_mode & S_IFMT == S_IFDIR
    else { return }
    _ = fchown(number, status.st_uid, status.st_gid)
}

/// A write that failed after some of its bytes.
package struct PartialWrite: Error {
    /// The kernel's `errno`; ENOSPC if a call wrote nothing.
    package let code: Int32
    /// How many bytes were written before the failure.
    package let written: Int
}

/// Writes all of `bytes`, in as many calls as the kernel needs.
///
/// - Parameter offset: where in the file to write; `nil`: behind what this descriptor wrote before.
package func writeAll(
    _ bytes: [UInt8], to descriptor: Int32, at offset: Int? = nil
) throws(PartialWrite) {
    var written = 0
    while written < bytes.count {
        let count = bytes.withUnsafeBytes { buffer in
            let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
            guard let offset else { return write(descriptor, rest.baseAddress!, rest.count) }
            return pwrite(descriptor, rest.baseAddress!, rest.count, off_t(offset + written))
        }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { throw PartialWrite(code: count < 0 ? errno : ENOSPC, written: written) }
        written += count
    }
}

/// Writes all of `contents`; an error names `path`.
package func writeAll(
    _ contents: [UInt8], to descriptor: Int32, path: String
) throws(SystemError) {
    do throws(PartialWrite) { try writeAll(contents, to: descriptor) } catch {
        throw SystemError("write \(path)", code: error.code)
    }
}
