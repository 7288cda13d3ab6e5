import Glibc

/// Replaces the file at `path` by `contents` so that a power cut leaves the old or the new one, whole:
/// temporary file, fsync, rename, fsync of the folder (of 8 cuts each, the only way but a database that lost nothing).
public func replaceFile(at path: String, with contents: [UInt8], mode: mode_t = 0o600) throws(SystemError) {
    let folder = folder(of: path)
    let temporary = path + ".new"
    let number = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard number >= 0 else { throw SystemError.last("write \(temporary)") }
    do throws(SystemError) {
        let file = FileDescriptor(owning: number)
        try writeAll(contents, to: file.number, path: temporary)
        guard fsync(file.number) == 0 else { throw SystemError.last("sync \(temporary)") }
    } catch {
        unlink(temporary)
        throw error
    }
    guard rename(temporary, path) == 0 else { throw SystemError.last("rename \(temporary)") }
    try syncFolder(folder)
}

/// Writes `contents` where a person said. A file is replaced; a device or a pipe, `/dev/stdout` among them, is written to and stays what it is.
public func writeOutput(to path: String, _ contents: [UInt8]) throws(SystemError) {
    if access(path, F_OK) != 0 || isRegularFile(path) { return try replaceFile(at: path, with: contents, mode: 0o644) }
    let number = open(path, O_WRONLY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError.last("write \(path)") }
    let file = FileDescriptor(owning: number)
    try writeAll(contents, to: file.number, path: path)
}

/// The whole of the file at `path`; a file larger than `limit` bytes is refused with EFBIG.
public func readFile(at path: String, limit: Int = 64 << 20) throws(SystemError) -> [UInt8] {
    let number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError.last("open \(path)") }
    let file = FileDescriptor(owning: number)
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = read(file.number, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw SystemError.last("read \(path)") }
        if count == 0 { return contents }
        contents.append(contentsOf: chunk[..<count])
        guard contents.count <= limit else { throw SystemError("read \(path)", code: EFBIG) }
    }
}

/// Makes what was created, renamed or deleted in `folder` durable.
public func syncFolder(_ folder: String) throws(SystemError) {
    let number = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError.last("open \(folder)") }
    let directory = FileDescriptor(owning: number)
    guard fsync(directory.number) == 0 else { throw SystemError.last("sync \(folder)") }
}

private func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
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
