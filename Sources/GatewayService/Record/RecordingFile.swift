import Glibc
import Linux

/// The file of a recording. What is in it are whole records, also where the disk is full: so it can be read.
final class RecordingFile {
    /// How large it is, in bytes.
    private(set) var size = 0
    private let path: String
    /// Where a file was made; `nil`: it is a pipe or a device, which stays what it is.
    private let file: String?
    private let descriptor: FileDescriptor

    /// Makes the file at `path`, through links. A file that is there is replaced if `replaces`, and else refused with EEXIST.
    ///
    /// A pipe or a device is written to as it is, standard output among them.
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

    /// Writes all of `records`. Where the disk fails, those that found room are kept, and what there is of the next is taken back.
    func write(_ records: RecordBuffer) throws(SystemError) {
        var written = 0
        while written < records.bytes.count {
            let count = records.bytes.withUnsafeBytes {
                Glibc.write(descriptor.number, $0.baseAddress! + written, $0.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let error = SystemError("write \(path)", code: count < 0 ? errno : ENOSPC)
                size += records.whole(within: written)
                // A pipe cannot be cut, and has nobody who would read it later.
                if let file {
                    _ = ftruncate(descriptor.number, off_t(size))
                    if size == 0 { unlink(file) }
                }
                throw error
            }
            written += count
        }
        size += written
    }

    /// Makes sure that it is on the disk, and not only on its way there.
    func sync() throws(SystemError) {
        guard fsync(descriptor.number) != 0 else { return }
        // What is no disk cannot be synchronised.
        guard errno == EINVAL || errno == EROFS else { throw .last("write \(path)") }
    }
}
