import Glibc

/// Whether two paths lead to one file, by whatever links; `false` where either leads nowhere.
public func isSameFile(_ path: String, _ other: String) -> Bool {
    var first = stat(), second = stat()
    guard stat(path, &first) == 0, stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
}

/// Whether there is a regular file at `path`: no device, no pipe, nothing.
public func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.isRegular
}
