import Glibc

/// Renames the file at `path` to a free name in the same folder, `path.unreadable` or `path.unreadable-2` to `-9`, and
/// returns that name.
///
/// Files from earlier calls stay, because any of them may be worth restoring. Only the ninth name is overwritten.
package func setAside(_ path: String) throws(SystemError) -> String {
    let names = possibleNamesAside(of: path)
    let name = names.first { access($0, F_OK) != 0 } ?? names[names.count - 1]
    guard rename(path, name) == 0 else { throw .last("rename \(path)") }
    return name
}

/// The names that `setAside` may give a file, in the order of use.
package func possibleNamesAside(of path: String) -> [String] {
    [path + ".unreadable"] + (2...9).map { "\(path).unreadable-\($0)" }
}
