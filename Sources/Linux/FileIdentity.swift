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
