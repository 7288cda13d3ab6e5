internal import CLinux
import Glibc

/// Whether two paths lead to the same file through any links; `false` if one of them leads to no file.
package func isSameFile(_ path: String, _ other: String) -> Bool {
    var first = stat(), second = stat()
    guard stat(path, &first) == 0, stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
}

/// Whether a regular file is at `path`; `false` for devices, pipes and missing files.
package func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.isRegular
}

/// Exchanges what is at two paths of one file system, in one step that a power cut cannot divide; 0 if that succeeded, else -1 with `errno`.
@discardableResult
package func exchangeFiles(_ path: String, _ other: String) -> Int32 {
    // RENAME_EXCHANGE, a macro of C that Swift does not import.
    renameat2(AT_FDCWD, path, AT_FDCWD, other, 1 << 1)
}
