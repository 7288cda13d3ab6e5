import Glibc
import Linux

/// The folder that `broker-setup` fills, and what was changed in it so far.
struct SetupFolder {
    /// Who may read a file besides its owner.
    enum Reader {
        /// The broker: its user, where there is one and we are root.
        case broker
        /// Nobody.
        case nobody
        /// Everybody.
        case everybody
    }

    let path: String
    /// One sentence for each thing that was changed.
    private(set) var changes: [String] = []
    /// The user that mosquitto becomes before it reads its files; `nil`: there is none, or we may not give files away.
    private let broker: (user: uid_t, group: gid_t)?

    /// The folder at `path`, an absolute path, which need not exist yet.
    init(_ path: String) {
        self.path = path
        let entry = geteuid() == 0 ? getpwnam("mosquitto") : nil
        broker = entry.map { ($0.pointee.pw_uid, $0.pointee.pw_gid) }
    }

    /// What is wrong with its path, in a sentence; `nil`: nothing.
    var mistake: String? {
        // The path stands in lines of mosquitto.conf.
        guard path.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            return "the folder's path has a line break or another control character in it: name another folder"
        }
        return nil
    }

    /// Makes the folder where it is not there. A folder that is there keeps its rights.
    mutating func make() throws(Failure) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        do throws(SystemError) {
            for folder in [path, path + "/secrets", path + "/authorities"] {
                try StateFolder(path: folder).make(mode: 0o755)
            }
            // Nobody but the owner has anything to look for among the secrets.
            for folder in ["", "/secrets", "/authorities"] where !(isThere && folder.isEmpty) {
                guard chmod(path + folder, folder.isEmpty ? 0o755 : 0o700) == 0 else {
                    throw .last("set the rights of \(path)\(folder)")
                }
            }
        } catch {
            throw Failure(.disk, "\(error): run it by sudo, or name a folder of your own")
        }
        if isThere, let broker, !status.lets(broker.user, broker.group) {
            note("The broker's user, mosquitto, may not enter \(path): allow it by chmod o+x \(path).")
        }
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { path + "/" + name }

    /// Whether the file is there.
    func has(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    /// What stands in a file; `nil`: it is not there.
    func text(_ name: String) throws(Failure) -> String? {
        do throws(SystemError) {
            return String(decoding: try readFile(at: file(name), limit: 1 << 20), as: UTF8.self)
        } catch {
            guard error.code == ENOENT else { throw Failure(.disk, "\(error)") }
            return nil
        }
    }

    /// Writes a file unless it says that already; what it said before is kept beside it.
    /// - Parameter quietly: it is no news, and what it said before is worth nothing.
    mutating func write(
        _ text: String, to name: String, for reader: Reader, quietly: Bool = false
    ) throws(Failure) {
        let former = try self.text(name)
        if former != text { try replace(name, with: text) }
        try give(name, to: reader)
        guard former != text, !quietly else { return }
        guard let former else { return note("Wrote \(file(name)).") }
        try replace(name + ".old", with: former)
        note("Changed \(file(name)); what it said before is in \(name).old.")
    }

    /// Lets `reader` read a file that another program wrote.
    func give(_ name: String, to reader: Reader) throws(Failure) {
        let mode: mode_t = if case .everybody = reader { 0o644 } else { 0o600 }
        do throws(SystemError) {
            // A link in the file's place would give away what it leads to.
            let number = open(file(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard number >= 0 else { throw .last("set the rights of \(file(name))") }
            let opened = FileDescriptor(owning: number)
            if case .broker = reader, let broker, fchown(opened.number, broker.user, broker.group) != 0 {
                throw .last("give \(file(name)) to the user mosquitto")
            }
            guard fchmod(opened.number, mode) == 0 else { throw .last("set the rights of \(file(name))") }
        } catch {
            throw Failure(.disk, "\(error)")
        }
    }

    /// Notes a change that something else has made.
    mutating func note(_ change: String) { changes.append(change) }

    /// Runs a program, which has to end well; what it complains of is part of the failure.
    func run(_ words: [String], input: String = "", from package: String) throws(Failure) {
        let errors = file("secrets/errors")
        defer { unlink(errors) }
        do throws(SystemError) {
            let program = try Subprocess(words, input: Array(input.utf8), errors: errors)
            guard program.waitForEnd() != .exited(0) else { return }
        } catch {
            throw Failure(.unavailable, "\(error): it is in Debian's package \(package)")
        }
        let complaint = ((try? text("secrets/errors")) ?? "").split(separator: "\n").last ?? "it does not say why"
        throw Failure(.unavailable, "\(words[0]) has failed: \(complaint)")
    }

    private func replace(_ name: String, with text: String) throws(Failure) {
        do throws(SystemError) {
            try replaceFile(at: file(name), with: Array(text.utf8), mode: 0o600)
        } catch {
            throw Failure(.disk, "\(error)")
        }
    }
}

extension stat {
    /// Whether it is a folder that this user may enter.
    fileprivate func lets(_ user: uid_t, _ group: gid_t) -> Bool {
        st_mode & (st_uid == user ? 0o100 : st_gid == group ? 0o010 : 0o001) != 0
    }
}
