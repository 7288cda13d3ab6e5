import Glibc

/// What a path that a person gave leads to, at the end of all links.
public enum Destination: Hashable, Sendable {
    /// A regular file, or nothing yet, at this path.
    case file(String)
    /// A pipe or a device of characters at this path: it is written to, and never replaced.
    case stream(String)
    /// A descriptor of this process, as `/dev/stdout` is; whatever it is, it is written to where it stands.
    case descriptor(Int32)

    /// As many links as the kernel itself follows.
    private static let mostLinks = 40

    /// Follows the links at `path`. What is neither file nor stream is refused: a folder, a disk, a socket.
    public init(of path: String) throws(SystemError) {
        var place = path
        for _ in 0...Self.mostLinks {
            var status = stat()
            guard lstat(place, &status) == 0 else {
                guard errno == ENOENT else { throw .last("open \(path)") }
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

/// Where the file that a person named is, at the end of all links; it need not exist. What is no file is refused.
@discardableResult
public func namedFile(at path: String) throws(SystemError) -> String {
    guard case .file(let target) = try Destination(of: path) else {
        throw SystemError("write \(path)", code: EINVAL, because: "it is a device or a pipe, and a file is needed")
    }
    return target
}

/// The path of `name` in the folder that `path` is in.
public func sibling(_ name: String, of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return name }
    return path[...slash] + name
}

/// The path of the folder that `path` is in.
func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

extension stat {
    /// Whether it is a regular file.
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

    /// Whether it is a symbolic link.
    var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

    /// Why nothing can be done with it, where a file is needed.
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

/// Whether the link at `path` is one of the kernel's in /proc, whose text is a description and leads nowhere.
private func isProcess(_ path: String) -> Bool {
    var (place, processes) = (stat(), stat())
    return stat(folder(of: path), &place) == 0 && stat("/proc/self", &processes) == 0
        && place.st_dev == processes.st_dev
}

/// The descriptor of this process that the link at `path` is.
private func ownDescriptor(_ path: String) -> Int32? {
    guard let number = path.split(separator: "/").last.flatMap({ Int32($0) }),
        isSameFile(folder(of: path), "/proc/self/fd")
    else { return nil }
    return number
}
