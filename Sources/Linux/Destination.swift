import Glibc

/// The destination of a path from the user, at the end of all links.
package enum Destination: Hashable, Sendable {
    /// A regular file, or no file yet, at this path.
    case file(String)
    /// A pipe or a character device at this path, which is written to and never replaced.
    case stream(String)
    /// A descriptor of this process, such as `/dev/stdout`, which is written to at its current position.
    case descriptor(Int32)

    /// The limit of the kernel for following links.
    private static let mostLinks = 40

    /// Follows the links at `path`. A folder, a block device or a socket is refused.
    package init(of path: String) throws(SystemError) {
        // By name: a machine or a container may have no such link, or a file that somebody made in its place.
        if let number = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].firstIndex(of: path) {
            self = .descriptor(Int32(number))
            return
        }
        var place = path
        for _ in 0...Self.mostLinks {
            var status = stat()
            guard lstat(place, &status) == 0 else {
                guard errno == ENOENT else { throw .last("open \(path)") }
                // A file there would be no device, and would stay until the next start of the machine.
                guard folder(of: place) != "/dev" else {
                    throw SystemError("open \(path)", code: ENOENT, because: "there is no such device")
                }
                self = .file(place)
                return
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG: self = .file(place)
            case S_IFIFO, S_IFCHR: self = .stream(place)
            case S_IFLNK where isProcess(place): self = ownDescriptor(place).map { .descriptor($0) } ?? .stream(place)
            case S_IFLNK:
                let target = try linkTarget(place)
                place = target.hasPrefix("/") ? target : sibling(target, of: place)
                continue
            default: throw status.refusal("write \(path)")
            }
            return
        }
        throw SystemError("open \(path)", code: ELOOP)
    }
}

/// The path of the file at the end of the links of a path from the user. The file need not exist; anything other than a
/// file is refused.
@discardableResult
package func namedFile(at path: String) throws(SystemError) -> String {
    guard case .file(let target) = try Destination(of: path) else {
        throw SystemError("write \(path)", code: EINVAL, because: "it is a device or a pipe, and a file is needed")
    }
    return target
}

/// The path of the file `name` in the same folder as `path`.
package func sibling(_ name: String, of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return name }
    return path[...slash] + name
}

package func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
}

package func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

extension stat {
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

    /// The error for an `action` that needs a regular file.
    func refusal(_ action: String) -> SystemError {
        switch st_mode & S_IFMT {
        case S_IFDIR: SystemError(action, code: EISDIR, because: "it is a folder")
        case S_IFIFO: SystemError(action, code: EINVAL, because: "it is a pipe, and a file is needed")
        case S_IFSOCK: SystemError(action, code: EINVAL, because: "it is a socket, and a file is needed")
        default: SystemError(action, code: EINVAL, because: "it is a device, and a file is needed")
        }
    }
}

private func linkTarget(_ path: String) throws(SystemError) -> String {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = target.withUnsafeMutableBytes { bytes in
        readlink(path, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard count >= 0 else { throw .last("open \(path)") }
    return String(decoding: target[..<count], as: UTF8.self)
}

/// Whether the link at `path` is one of the kernel's links in /proc, whose text is only a description.
private func isProcess(_ path: String) -> Bool {
    var (place, processes) = (stat(), stat())
    return stat(folder(of: path), &place) == 0 && stat("/proc/self", &processes) == 0
        && place.st_dev == processes.st_dev
}

/// The descriptor of this process that the link at `path` stands for.
private func ownDescriptor(_ path: String) -> Int32? {
    guard let number = path.split(separator: "/").last.flatMap({ Int32($0) }),
        isSameFile(folder(of: path), "/proc/self/fd")
    else { return nil }
    return number
}
