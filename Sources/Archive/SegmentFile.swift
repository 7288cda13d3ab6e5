import Glibc
import Linux

/// A segment that is being written.
final class SegmentFile {
    private let path: String
    private let file: FileDescriptor
    /// Its length in bytes: all that was written whole.
    private(set) var size = 0

    /// Begins a new file; one that is there already is not touched.
    init(creating path: String) throws(SystemError) {
        file = try FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600, to: "write")
        self.path = path
    }

    /// Deletes it, if nothing was written to it.
    func abandon() {
        if size == 0 { unlink(path) }
    }

    /// Whether somebody has deleted it: what is written then is written nowhere.
    var isGone: Bool {
        var status = stat()
        return fstat(file.number, &status) != 0 || status.st_nlink == 0
    }

    /// Writes `bytes` behind what is there, and waits for the disk where that is urgent. After a failure the segment is over: nobody
    /// knows what of it is on the disk.
    func append(_ bytes: [UInt8], isUrgent: Bool) throws(SystemError) {
        do throws(PartialWrite) { try writeAll(bytes, to: file.number, at: size) } catch {
            ftruncate(file.number, off_t(size))
            throw SystemError("write \(path)", code: error.code)
        }
        if isUrgent { guard fdatasync(file.number) == 0 else { throw .last("sync \(path)") } }
        size += bytes.count
    }
}
