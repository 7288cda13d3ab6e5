import Glibc
import Linux

/// The folder that `broker-setup` fills, and the changes so far.
struct SetupFolder {
    /// The other users that may read a file.
    enum Reader {
        /// The broker's user, if there is one and this process is root.
        case broker
        case nobody
        case everybody
    }

    let path: String
    /// One sentence for each change.
    private(set) var changes: [String] = []
    /// The user as which mosquitto reads its files; `nil` if there is none, or this process may not change a file's owner.
    private let broker: (user: uid_t, group: gid_t)?

    /// The folder at `path`, an absolute path, which need not exist yet.
    init(_ path: String) {
        self.path = path
        let entry = geteuid() == 0 ? getpwnam("mosquitto") : nil
        broker = entry.map { ($0.pointee.pw_uid, $0.pointee.pw_gid) }
    }

    /// The problem of its path, in a sentence; `nil` if there is none.
    var mistake: String? {
        // mosquitto.conf contains the path in its lines.
        guard path.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            return "the folder's path has a line break or another control character in it: name another folder"
        }
        return nil
    }

    /// Makes the folder if it does not exist. An existing folder keeps its permissions.
    mutating func make() throws(Failure) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        try orFail(.disk, ": run broker-setup with sudo, or name another folder with --folder") {
            for folder in [path, path + "/secrets", path + "/authorities"] {
                try StateFolder(path: folder).make(mode: 0o755)
            }
            // Only the owner may enter the folders of secrets.
            for folder in ["", "/secrets", "/authorities"] where !(isThere && folder.isEmpty) {
                guard chmod(path + folder, folder.isEmpty ? 0o755 : 0o700) == 0 else {
                    throw SystemError.last("set the permissions of \(path)\(folder)")
                }
            }
        }
        if isThere, let broker, !status.lets(broker.user, broker.group) {
            note("The broker's user, mosquitto, may not enter \(path): run chmod o+x \(path).")
        }
    }

    /// Waits until no other run changes the folder. The lock ends with the returned value. Nobody else may enter the locked folder, and so lock it.
    func lock() throws(Failure) -> FileDescriptor {
        try orFail(.disk, ": run broker-setup with sudo, or name another folder with --folder") {
            let secrets = try FileDescriptor(opening: file("secrets"), O_RDONLY | O_DIRECTORY)
            if flock(secrets.number, LOCK_EX | LOCK_NB) == 0 { return secrets }
            printError("forgetmenot: another run changes \(path): this one waits for it")
            guard flock(secrets.number, LOCK_EX) == 0 else { throw SystemError.last("lock \(path)") }
            return secrets
        }
    }

    func file(_ name: String) -> String { path + "/" + name }

    func has(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    /// The text of a file; `nil` if it does not exist.
    func text(_ name: String) throws(Failure) -> String? {
        do throws(SystemError) {
            return String(decoding: try readFile(at: file(name), limit: 1 << 20), as: UTF8.self)
        } catch {
            guard error.code == ENOENT else { throw Failure(.disk, "\(error)") }
            return nil
        }
    }

    /// Writes a file if its text differs, and moves the former text to a file beside it.
    /// - Parameter quietly: whether to neither report the change nor store the former text.
    mutating func write(
        _ text: String, to name: String, for reader: Reader, quietly: Bool = false
    ) throws(Failure) {
        let former = try self.text(name)
        if former != text { try replace(name, with: text) }
        try give(name, to: reader)
        guard former != text, !quietly else { return }
        guard let former else { return note("Wrote \(file(name)).") }
        try replace(name + ".old", with: former)
        note("Changed \(file(name)); its former text is in \(name).old.")
    }

    /// Sets a file's owner and permissions so that `reader` can read it.
    func give(_ name: String, to reader: Reader) throws(Failure) {
        let mode: mode_t = if case .everybody = reader { 0o644 } else { 0o600 }
        try orFail(.disk) {
            // If the file were a link, its target would become readable.
            let opened = try openOwnFile(file(name), O_RDONLY, "set the permissions of")
            if case .broker = reader, let broker, fchown(opened.number, broker.user, broker.group) != 0 {
                throw SystemError.last("give \(file(name)) to the user mosquitto")
            }
            guard fchmod(opened.number, mode) == 0 else {
                throw SystemError.last("set the permissions of \(file(name))")
            }
        }
    }

    mutating func note(_ change: String) { changes.append(change) }

    /// Runs a program; throws its last error line if it ends with another status than those of `success`.
    func run(
        _ words: [String], input: String = "", from package: String, success: [Int32] = [0]
    ) throws(Failure) {
        let errors = file("secrets/errors")
        defer { unlink(errors) }
        do throws(SystemError) {
            let program = try Subprocess(words, input: Array(input.utf8), errors: errors)
            if case .exited(let status) = program.waitForEnd(), success.contains(status) { return }
        } catch {
            throw Failure(.unavailable, "\(error): install Debian's package \(package)")
        }
        let complaint = ((try? text("secrets/errors")) ?? "").split(separator: "\n").last ?? "it printed no error"
        throw Failure(.unavailable, "\(words[0]) failed: \(complaint)")
    }

    private func replace(_ name: String, with text: String) throws(Failure) {
        try orFail(.disk) { try replaceFile(at: file(name), with: Array(text.utf8)) }
    }
}

extension stat {
    /// Whether this user may enter the folder.
    fileprivate func lets(_ user: uid_t, _ group: gid_t) -> Bool {
        st_mode & (st_uid == user ? 0o100 : st_gid == group ? 0o010 : 0o001) != 0
    }
}
