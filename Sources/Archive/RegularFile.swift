import Glibc
import Linux

/// Opens a file of the state folder, which is a regular file and nothing else.
///
/// A FIFO would be waited for without end, a device may answer without end, and a symbolic link leads out of the folder: none of them was put
/// there by this program.
func openRegularFile(_ path: String, _ flags: Int32, _ verb: String) throws(SystemError) -> FileDescriptor {
    let number = open(path, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("\(verb) \(path)") }
    let file = FileDescriptor(owning: number)
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .last("\(verb) \(path)") }
    guard status.st_mode & S_IFMT == S_IFREG else {
        throw SystemError("\(verb) \(path), which is no regular file", code: EINVAL)
    }
    return file
}

/// The whole of a regular file; one larger than `limit` bytes is refused with EFBIG.
func readRegularFile(at path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try openRegularFile(path, O_RDONLY, "read")
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = read(file.number, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw .last("read \(path)") }
        if count == 0 { return contents }
        contents.append(contentsOf: chunk[..<count])
        guard contents.count <= limit else { throw SystemError("read \(path)", code: EFBIG) }
    }
}
