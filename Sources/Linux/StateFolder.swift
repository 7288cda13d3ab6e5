import Glibc

/// The folder in which a service keeps what must survive a power cut.
public struct StateFolder: Sendable {
    /// Its path.
    public let path: String

    /// The folder at `path`, which need not exist yet.
    public init(path: String) {
        self.path = path
    }

    /// The path of the file called `name` in it.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Makes the folder, and those above it, with the rights `mode` unless they are there.
    public func make(mode: mode_t = 0o750) throws(SystemError) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty && part.isEmpty ? "/" : (made.isEmpty || made == "/" ? part : "/" + part)
            guard mkdir(made, mode) == 0 || errno == EEXIST || errno == EISDIR || made == "/" else {
                throw SystemError.last("make the folder \(made)")
            }
        }
    }

    /// By what a folder is told from another at the same path.
    public struct Identity: Hashable, Sendable {
        private var device: dev_t
        private var number: ino_t

        fileprivate init(_ status: stat) {
            device = status.st_dev
            number = status.st_ino
        }
    }

    /// Which folder is there now, if one is.
    public var identity: Identity? {
        var status = stat()
        return stat(path, &status) == 0 ? Identity(status) : nil
    }

    /// The names of what is in it.
    public func entries() throws(SystemError) -> [String] {
        guard let directory = opendir(path) else { throw SystemError.last("read the folder \(path)") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Replaces the file called `name`, making the folder if need be, so that a power cut leaves the old or the new one.
    public func replace(_ name: String, with contents: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try replaceFile(at: file(name), with: contents)
        } catch {
            guard error.code == ENOENT else { throw error }
            try make()
            try replaceFile(at: file(name), with: contents)
        }
    }
}
