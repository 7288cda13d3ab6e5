import Glibc

/// Replaces the file at `path` with `contents`. After a power cut, the file has either the old or the new contents,
/// complete.
///
/// Use this function for the program's own files, because it replaces a link at `path` itself. For a path from the
/// user, use `replaceNamedFile`.
package func replaceFile(at path: String, with contents: [UInt8], mode: mode_t = 0o600) throws(SystemError) {
    try StagedFile(contents, for: path, mode: mode).commit()
}

/// Replaces the file at a path from the user. After a power cut, the file has either the old or the new contents,
/// complete.
///
/// A link stays, and the file that it leads to is replaced. An existing file keeps its owner and permissions. A device,
/// a pipe or a folder is refused.
package func replaceNamedFile(at path: String, with contents: [UInt8], mode: mode_t = 0o644) throws(SystemError) {
    try StagedFile(contents, forNamed: path, mode: mode).commit()
}

/// Writes `contents` to a path from the user: replaces a file, but writes into a device or a pipe.
///
/// `/dev/stdout` means this process's standard output, even if that is a file.
package func writeOutput(to path: String, _ contents: [UInt8]) throws(SystemError) {
    switch try Destination(of: path) {
    case .file(let path): try replaceNamedFile(at: path, with: contents)
    case .descriptor(let number): try writeAll(contents, to: number, path: path)
    case .stream(let stream):
        let file = try FileDescriptor(opening: stream, O_WRONLY | O_NOCTTY, to: "write")
        try writeAll(contents, to: file.number, path: path)
    }
}

/// New contents of a file, stored on disk in the same folder. `commit` moves them into place; without `commit`, deinit
/// deletes them.
///
/// To change several files together, stage all of them first and then commit all: if writing one fails, none has
/// changed. The steps are a temporary file, fsync, rename, and fsync of the folder. In tests with 8 power cuts per
/// method, only this method and a database lost nothing.
package final class StagedFile {
    private let path: String
    private let temporary: String
    private let file: FileDescriptor

    /// Writes `contents` to a temporary file beside `path`; a device, a pipe or a folder at `path` is refused.
    package init(_ contents: [UInt8], for path: String, mode: mode_t = 0o600) throws(SystemError) {
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.isRegular || status.isLink else { throw status.refusal("write \(path)") }
        }
        Self.removeLeftovers(in: folder(of: path))
        self.path = path
        // Errors name the intended file. With the random name of the temporary file, each attempt would report a
        // different problem.
        var number: Int32 = -1
        var name = ""
        repeat {
            name = sibling(Self.prefix + String(UInt64.random(in: .min ... .max), radix: 16) + Self.suffix, of: path)
            number = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            if number < 0, errno == EEXIST { continue }
            guard number >= 0 else { throw SystemError.last("write \(path)") }
        } while !Self.locks(number)
        file = FileDescriptor(owning: number)
        temporary = name
        // From here on, deinit deletes the temporary file.
        try writeAll(contents, to: number, path: path)
        guard fsync(number) == 0 else { throw SystemError.last("sync \(path)") }
    }

    /// Writes `contents` beside a file whose path comes from the user; see `replaceNamedFile`.
    package convenience init(
        _ contents: [UInt8], forNamed path: String, mode: mode_t = 0o644
    ) throws(SystemError) {
        let target = try namedFile(at: path)
        var status = stat()
        let isThere = stat(target, &status) == 0
        try self.init(contents, for: target, mode: isThere ? status.st_mode & 0o777 : mode)
        guard isThere else { return }
        // Only root may change the owner of a file. Other users can keep at least the group.
        if fchown(file.number, status.st_uid, status.st_gid) != 0 { _ = fchown(file.number, uid_t.max, status.st_gid) }
        _ = fchmod(file.number, status.st_mode & 0o777)
    }

    deinit {
        // After `commit`, no file has the temporary name.
        unlink(temporary)
    }

    /// The kernel's number of the temporary file's descriptor, for a program that adds to the contents; do not close it.
    package var number: Int32 { file.number }

    /// Moves the contents into the file's place, and waits for the disk.
    package func commit() throws(SystemError) {
        guard fsync(file.number) == 0 else { throw SystemError.last("sync \(path)") }
        guard rename(temporary, path) == 0 else { throw SystemError.last("replace \(path)") }
        try syncFolder(folder(of: path))
    }

    // MARK: The temporary file

    private static let prefix = ".forgetmenot-"
    private static let suffix = ".new"

    /// Locks a new file for the lifetime of its writer. If another process deleted the file as a leftover first,
    /// `locks` closes it and returns `false`.
    private static func locks(_ number: Int32) -> Bool {
        var status = stat()
        // On a file system without locks, no other process checks for leftovers.
        if number >= 0, flock(number, LOCK_EX) != 0 || fstat(number, &status) != 0 || status.st_nlink > 0 {
            return true
        }
        close(number)
        return false
    }

    /// Deletes the temporary files of crashed writers in `folder`. A writer that is alive holds the lock of its file.
    private static func removeLeftovers(in folder: String) {
        guard let names = try? StateFolder(path: folder).entries() else { return }
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let path = folder + "/" + name
            var status = stat()
            guard let file = try? FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
                fstat(file.number, &status) == 0, status.isRegular, flock(file.number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            unlink(path)
        }
    }
}

/// Makes created, renamed and deleted files in `folder` durable.
package func syncFolder(_ folder: String) throws(SystemError) {
    let directory = try FileDescriptor(opening: folder, O_RDONLY | O_DIRECTORY)
    guard fsync(directory.number) == 0 else { throw SystemError.last("sync \(folder)") }
}
