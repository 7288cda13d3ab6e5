import Glibc
import Linux

/// The file of a recording. It contains only whole records, even if the disk is full, so it can always be read.
final class RecordingFile {
    /// Its size in bytes.
    private(set) var size = 0
    private let path: String
    /// The file's path; `nil` if it is a pipe or a device.
    private let file: String?
    private let descriptor: FileDescriptor

    /// Makes the file at `path`, through links. If a file exists, it is replaced if `replaces`; otherwise throws EEXIST.
    ///
    /// The path may also be a pipe or a device, such as standard output.
    init(path: String, replaces: Bool) throws(SystemError) {
        let number: Int32
        switch try Destination(of: path) {
        case .file(let target):
            file = target
            number = open(target, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL), 0o644)
        case .stream(let stream):
            file = nil
            number = open(stream, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        case .descriptor(let own):
            file = nil
            number = fcntl(own, F_DUPFD_CLOEXEC, 0)
        }
        guard number >= 0 else { throw .last("write \(path)") }
        self.path = path
        descriptor = FileDescriptor(owning: number)
    }

    /// Writes all of `records`. If the disk fails, the file has the complete records, and a partial one is removed.
    func write(_ records: RecordBuffer) throws(SystemError) {
        do throws(PartialWrite) { try writeAll(records.bytes, to: descriptor.number) } catch {
            size += records.whole(within: error.written)
            // A pipe cannot be truncated.
            if let file {
                _ = ftruncate(descriptor.number, off_t(size))
                if size == 0 { unlink(file) }
            }
            throw SystemError("write \(path)", code: error.code)
        }
        size += records.bytes.count
    }

    /// Waits until the file is on the disk.
    func sync() throws(SystemError) {
        guard fsync(descriptor.number) != 0 else { return }
        // A pipe or a device cannot be synchronised.
        guard errno == EINVAL || errno == EROFS else { throw .last("write \(path)") }
    }
}
