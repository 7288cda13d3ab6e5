internal import CLinux
import Glibc

/// A file without a name, in memory: what a program reads, or prints. It blocks neither side.
package final class MemoryFile: Sendable {
    private let file: FileDescriptor

    /// An empty file; `purpose` names it in errors.
    package init(for purpose: String) throws(SystemError) {
        let number = memfd_create("forgetmenot", 0)
        guard number >= 0 else { throw SystemError.last("make \(purpose)") }
        file = FileDescriptor(owning: number)
    }

    /// A file with these bytes, to be read from its beginning.
    package convenience init(_ bytes: [UInt8], for purpose: String) throws(SystemError) {
        try self.init(for: purpose)
        try writeAll(bytes, to: number, path: purpose)
        lseek(number, 0, SEEK_SET)
    }

    /// The kernel's number of the descriptor; do not close it.
    var number: Int32 { file.number }

    /// The first bytes that were written, at most `limit`.
    package func contents(limit: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(0, pread(number, buffer.baseAddress, limit, 0))
        }
    }
}
