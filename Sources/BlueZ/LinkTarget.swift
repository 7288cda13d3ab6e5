import Glibc

/// Where the symbolic link at `path` leads; `nil` where there is none.
func linkTarget(of path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}
