import Glibc

/// Reads the whole regular file at `path`. A file larger than `limit` bytes is refused with EFBIG, a pipe or a device
/// with EINVAL.
///
/// A pipe in place of the file does not block the reader. For a path from the user, use `readInput`.
package func readFile(at path: String, limit: Int = 64 << 20) throws(SystemError) -> [UInt8] {
    let number = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else {
        // A socket cannot be opened at all.
        throw errno == ENXIO
            ? SystemError("read \(path)", code: EINVAL, because: "it is no regular file") : .last("open \(path)")
    }
    let file = FileDescriptor(owning: number)
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .last("read \(path)") }
    guard status.isRegular else { throw status.refusal("read \(path)") }
    return try readAll(of: file.number, path: path, limit: limit)
}

/// Reads the whole of a file in the program's own folder, like `readFile`. A symbolic link is also refused, because it
/// leads out of the folder.
package func readOwnFile(at path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try openOwnFile(path, O_RDONLY, "read")
    return try readAll(of: file.number, path: path, limit: limit)
}

/// Opens a regular file in the program's own folder.
///
/// A FIFO could block forever, a device may never end, and a symbolic link leads out of the folder. The program creates
/// none of them, so they are refused.
package func openOwnFile(_ path: String, _ flags: Int32, _ verb: String) throws(SystemError) -> FileDescriptor {
    let file = try FileDescriptor(opening: path, flags | O_NONBLOCK | O_NOFOLLOW, mode: 0o600, to: verb)
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .last("\(verb) \(path)") }
    guard status.isRegular else { throw status.refusal("\(verb) \(path)") }
    return file
}

/// Reads the whole of a file, pipe or device at a path from the user. More than `limit` bytes are refused with EFBIG.
///
/// `/dev/stdin` means this process's standard input, whatever its type.
package func readInput(at path: String, limit: Int = 64 << 20) throws(SystemError) -> [UInt8] {
    if case .descriptor(let number)? = try? Destination(of: path) {
        return try readAll(of: number, path: path, limit: limit)
    }
    let file = try FileDescriptor(opening: path, O_RDONLY | O_NOCTTY)
    return try readAll(of: file.number, path: path, limit: limit)
}

/// Reads from a descriptor until its end. More than `limit` bytes are refused with EFBIG; `path` names the descriptor in errors.
package func readAll(of descriptor: Int32, path: String, limit: Int) throws(SystemError) -> [UInt8] {
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw SystemError.last("read \(path)") }
        if count == 0 { return contents }
        contents.append(contentsOf: chunk[..<count])
        guard contents.count <= limit else { throw SystemError("read \(path)", code: EFBIG) }
    }
}
