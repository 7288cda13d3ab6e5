import Glibc

/// Replaces the file at `path` by `contents` so that a power cut leaves the old or the new one, whole.
///
/// For a program's own files: a link at `path` is itself replaced. A path that a person gave is for `replaceNamedFile`.
public func replaceFile(at path: String, with contents: [UInt8], mode: mode_t = 0o600) throws(SystemError) {
    try StagedFile(contents, for: path, mode: mode).commit()
}

/// Replaces the file that a person named, so that a power cut leaves the old or the new one, whole.
///
/// A link stays, and the file at its end is replaced. A device, a pipe or a folder is refused. A file that exists keeps its owner and rights.
public func replaceNamedFile(at path: String, with contents: [UInt8], mode: mode_t = 0o644) throws(SystemError) {
    try StagedFile(contents, forNamed: path, mode: mode).commit()
}

/// Writes `contents` to the path that a person gave: a file is replaced, a device or a pipe is written to and stays what it is.
///
/// `/dev/stdout` is this process's standard output, also where that is a file.
public func writeOutput(to path: String, _ contents: [UInt8]) throws(SystemError) {
    switch try Destination(of: path) {
    case .file(let path): try replaceNamedFile(at: path, with: contents)
    case .descriptor(let number): try writeAll(contents, to: number, path: path)
    case .stream(let stream):
        let number = open(stream, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError.last("write \(path)") }
        let file = FileDescriptor(owning: number)
        try writeAll(contents, to: file.number, path: path)
    }
}

/// New contents of a file, on the disk beside it: `commit` puts them in its place, and without `commit` they are deleted with this object.
///
/// Several files that belong together are staged first and committed then, so that a failure to write any of them changes none.
/// Temporary file, fsync, rename, fsync of the folder: of 8 cuts each, the only way but a database that lost nothing.
public final class StagedFile {
    private let path: String
    private let temporary: String
    private let file: FileDescriptor

    /// Writes `contents` beside `path`; where a device, a pipe or a folder is at `path`, it is refused.
    public init(_ contents: [UInt8], for path: String, mode: mode_t = 0o600) throws(SystemError) {
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.isRegular || status.isLink else { throw status.refusal("write \(path)") }
        }
        Self.removeLeftovers(in: folder(of: path))
        self.path = path
        // Messages name the file that is meant: a random name in them would make one problem look like another at each attempt.
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
        // From here on the end of this object deletes it.
        try writeAll(contents, to: number, path: path)
        guard fsync(number) == 0 else { throw SystemError.last("sync \(path)") }
    }

    /// Writes `contents` beside the file that a person named: see `replaceNamedFile`.
    public convenience init(
        _ contents: [UInt8], forNamed path: String, mode: mode_t = 0o644
    ) throws(SystemError) {
        let target = try namedFile(at: path)
        var status = stat()
        let isThere = stat(target, &status) == 0
        try self.init(contents, for: target, mode: isThere ? status.st_mode & 0o777 : mode)
        guard isThere else { return }
        // Only root may give a file away. Nobody else's file would be ours to replace, but for its group.
        if fchown(file.number, status.st_uid, status.st_gid) != 0 { _ = fchown(file.number, uid_t.max, status.st_gid) }
        _ = fchmod(file.number, status.st_mode & 0o777)
    }

    deinit {
        // Once it is committed, nothing has its name.
        unlink(temporary)
    }

    /// Puts the contents in the file's place, and waits for the disk.
    public func commit() throws(SystemError) {
        guard rename(temporary, path) == 0 else { throw SystemError.last("replace \(path)") }
        try syncFolder(folder(of: path))
    }

    // MARK: The temporary file

    private static let prefix = ".forgetmenot-"
    private static let suffix = ".new"

    /// Locks a new file for as long as its writer lives. `false`, and closed: another process took it for a leftover before it was locked.
    private static func locks(_ number: Int32) -> Bool {
        var status = stat()
        // A file system without locks has no other process that looks at them.
        if number >= 0, flock(number, LOCK_EX) != 0 || fstat(number, &status) != 0 || status.st_nlink > 0 {
            return true
        }
        close(number)
        return false
    }

    /// Deletes what writers that have crashed left in `folder`: the lock of a writer that lives is held.
    private static func removeLeftovers(in folder: String) {
        guard let names = try? StateFolder(path: folder).entries() else { return }
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let path = folder + "/" + name
            let number = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard number >= 0 else { continue }
            let file = FileDescriptor(owning: number)
            var status = stat()
            guard fstat(file.number, &status) == 0, status.isRegular, flock(file.number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            unlink(path)
        }
    }
}

/// Makes what was created, renamed or deleted in `folder` durable.
public func syncFolder(_ folder: String) throws(SystemError) {
    let number = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError.last("open \(folder)") }
    let directory = FileDescriptor(owning: number)
    guard fsync(directory.number) == 0 else { throw SystemError.last("sync \(folder)") }
}

private func writeAll(_ contents: [UInt8], to descriptor: Int32, path: String) throws(SystemError) {
    var written = 0
    while written < contents.count {
        let count = contents.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, contents.count - written) }
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw SystemError.last("write \(path)") }
        written += count
    }
}
