import Glibc

/// Renames the file at `path` to a free name beside it, `path.unreadable` or `path.unreadable-2` to `-9`, and returns that name.
///
/// A file that was set aside before is kept: it may be the one worth restoring. Only the ninth is replaced by a later one.
public func setAside(_ path: String) throws(SystemError) -> String {
    let names = [path + ".unreadable"] + (2...9).map { "\(path).unreadable-\($0)" }
    let name = names.first { access($0, F_OK) != 0 } ?? names[names.count - 1]
    guard rename(path, name) == 0 else { throw .last("rename \(path)") }
    return name
}
