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

    /// Makes the folder where it is not there.
    init(_ path: String) throws(Failure) {
        self.path = path
        let entry = geteuid() == 0 ? getpwnam("mosquitto") : nil
        broker = entry.map { ($0.pointee.pw_uid, $0.pointee.pw_gid) }
        do throws(SystemError) {
            for folder in [path, path + "/secrets", path + "/authorities"] {
                try StateFolder(path: folder).make(mode: 0o755)
            }
        } catch {
            throw Failure(.disk, "\(error): run it by sudo, or name a folder of your own")
        }
        // The broker has to pass through; nobody else has anything to look for among the secrets.
        guard chmod(path, 0o755) == 0, chmod(path + "/secrets", 0o700) == 0, chmod(path + "/authorities", 0o700) == 0
        else {
            throw Failure(.disk, "\(SystemError.last("set the rights of \(path)"))")
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

    /// Lets `reader` read a file, that is there and was written by somebody else.
    func give(_ name: String, to reader: Reader) throws(Failure) {
        let mode: mode_t = if case .everybody = reader { 0o644 } else { 0o600 }
        if case .broker = reader, let broker {
            guard chown(file(name), broker.user, broker.group) == 0 else {
                throw Failure(.disk, "\(SystemError.last("give \(file(name)) to the user mosquitto"))")
            }
        }
        guard chmod(file(name), mode) == 0 else {
            throw Failure(.disk, "\(SystemError.last("set the rights of \(file(name))"))")
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
