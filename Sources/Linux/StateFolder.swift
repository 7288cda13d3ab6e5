import Glibc

/// The folder in which a service stores what must survive a power cut.
package struct StateFolder: Sendable {
    package let path: String

    /// Creates a reference to the folder at `path`, which need not exist yet.
    package init(path: String) {
        self.path = path
    }

    package func file(_ name: String) -> String { path + "/" + name }

    /// Creates the folder and its parents with the permissions `mode`, unless they exist. Each belongs to the owner of its parent, if root creates it.
    package func make(mode: mode_t = 0o750) throws(SystemError) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty && part.isEmpty ? "/" : (made.isEmpty || made == "/" ? part : "/" + part)
            if mkdir(made, mode) == 0 {
                let opened = try FileDescriptor(opening: made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
                giveToFolderOwner(opened.number, at: made)
            } else if errno != EEXIST, errno != EISDIR, made != "/" {
                throw SystemError.last("make the folder \(made)")
            }
        }
    }

    /// The identity of a folder, which distinguishes it from another folder at the same path.
    package struct Identity: Hashable, Sendable {
        private var device: dev_t
        private var number: ino_t

        fileprivate init(_ status: stat) {
            device = status.st_dev
            number = status.st_ino
        }
    }

    /// The identity of the current folder at the path; `nil` if there is none.
    package var identity: Identity? {
        var status = stat()
        return stat(path, &status) == 0 ? Identity(status) : nil
    }

    package func entries() throws(SystemError) -> [String] {
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

    /// Adds `bytes` to the end of the file `name`, which must exist, and waits until they are on the disk. After a power cut or a failure,
    /// the file may end with a part of them.
    package func append(_ bytes: [UInt8], to name: String) throws(SystemError) {
        let descriptor = try FileDescriptor(opening: file(name), O_WRONLY | O_APPEND, to: "write")
        try writeAll(bytes, to: descriptor.number, path: file(name))
        guard fdatasync(descriptor.number) == 0 else { throw SystemError.last("sync \(file(name))") }
    }

    /// Replaces the file `name` and creates the folder if necessary. After a power cut, the file has either the old or
    /// the new contents, complete. The file belongs to the owner of the folder, if root replaces it.
    package func replace(_ name: String, with contents: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try put(contents, into: name)
        } catch {
            guard error.code == ENOENT else { throw error }
            try make()
            try put(contents, into: name)
        }
    }

    private func put(_ contents: [UInt8], into name: String) throws(SystemError) {
        let staged = try StagedFile(contents, for: file(name))
        giveToFolderOwner(staged.number, at: file(name))
        try staged.commit()
    }
}
