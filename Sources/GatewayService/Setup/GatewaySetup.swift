import Beacons
import Glibc
public import Linux
import Settings
import Text

/// What `setup` was told; what was not, is asked for or stays as it is.
public struct GatewaySetupWords {
    /// What comes by standard input, so that it stands in nobody's arguments.
    public enum Secret: Sendable {
        /// One line.
        case password
        /// In PEM: the certificates of the broker's authority and our own, and our key.
        case certificates
    }

    /// The configuration that is written.
    public var file: String
    /// Who the gateway is.
    public var id: String?
    /// The room that it serves.
    public var room: String?
    /// The broker's name or address.
    public var host: String?
    /// The broker's port.
    public var port: Int?
    /// What stands before all topics.
    public var prefix: String?
    /// What listens, as radio.source has it.
    public var source: String?
    /// What comes by standard input.
    public var secret: Secret?
    /// Whether the service is started.
    public var starts = true

    /// Nothing but the file.
    public init(file: String) { self.file = file }
}

/// Writes a configuration, looks whether all is well, and starts the service: `forgetmenot-gateway setup`.
///
/// What it writes into a file that is there already, it writes in its place: everything else stays.
public func setUpGateway(_ words: GatewaySetupWords) throws(Failure) -> ExitStatus {
    let answers = try ask(words)
    let former = try text(at: words.file)
    var text = former ?? ""
    for (key, table, value) in try keys(answers) { text = setting(key, to: value, in: table, of: text) }
    try write(text, to: words.file, former: former)

    printLine("")
    let status = try examine(at: words.file, asJSON: false)
    printLine("")
    guard words.starts else { return status }
    try start(words.file)
    return status
}

/// Asks for what was not told and cannot be done without, where somebody sits at a terminal.
private func ask(_ words: GatewaySetupWords) throws(Failure) -> GatewaySetupWords {
    var words = words
    let known = try? readGatewayConfiguration(at: words.file)
    if words.room == nil || words.host == nil {
        guard let terminal = Terminal() else {
            guard known != nil else {
                throw Failure(.usage, "nobody is there to be asked: say --room and --host")
            }
            return words
        }
        if words.room == nil { words.room = terminal.ask("Which room does this gateway serve?", standard: known?.room) }
        if words.host == nil {
            words.host = terminal.ask("Where is the broker (a name or an address)?", standard: known?.broker.host)
        }
        guard words.room?.isEmpty == false, words.host?.isEmpty == false else {
            throw Failure(.usage, "a gateway needs a room and a broker: say --room and --host")
        }
    }
    return words
}

/// The keys that are set, and the files that they name, which are written here.
private func keys(_ words: GatewaySetupWords) throws(Failure) -> [(key: String, table: String?, value: String)] {
    var keys: [(String, String?, String)] = []
    if let id = words.id { keys.append(("id", nil, tomlText(id))) }
    if let room = words.room { keys.append(("room", nil, tomlText(room))) }
    if let host = words.host { keys.append(("host", "mqtt", tomlText(host))) }
    if let port = words.port { keys.append(("port", "mqtt", "\(port)")) }
    if let prefix = words.prefix { keys.append(("prefix", "mqtt", tomlText(prefix))) }
    if let source = words.source { keys.append(("source", "radio", tomlText(source))) }
    guard let secret = words.secret else { return keys }
    // Its files are called as the configuration is, beside it.
    let name = words.file.split(separator: "/").last.map { $0.hasSuffix(".toml") ? $0.dropLast(5) : $0 } ?? "gateway"
    let folder = words.file.lastIndex(of: "/").map { String(words.file[...$0]) } ?? ""
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try readFile(at: "/dev/stdin", limit: 1 << 16) } catch {
        throw Failure(.noInput, "\(error)")
    }
    let files: [(key: String, name: String, text: String)]
    switch secret {
    case .password:
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count == 1, let password = String(validating: lines[0], as: UTF8.self) else {
            throw Failure(.noInput, "standard input does not hold one line with a password")
        }
        let user =
            words.id ?? (try? readGatewayConfiguration(at: words.file).id) ?? makeID(from: localHostName()) ?? "gateway"
        keys.append(("username", "mqtt", tomlText(user)))
        files = [("password_file", "\(name).password", password + "\n")]
    case .certificates:
        guard let parts = PEMParts(String(decoding: bytes, as: UTF8.self)) else {
            throw Failure(
                .noInput, "standard input does not hold two certificates and a key (PEM): paste the whole line")
        }
        files = [
            ("ca_file", "\(name)-ca.crt", parts.authority), ("certificate_file", "\(name).crt", parts.certificate),
            ("key_file", "\(name).key", parts.key),
        ]
    }
    for file in files {
        do throws(SystemError) {
            let path = folder + file.name
            if let old = try? readFile(at: path), old != Array(file.text.utf8) {
                try replaceFile(at: path + ".old", with: old)
                printLine("\(path) is another now; the former is in \(file.name).old.")
            }
            try replaceFile(at: path, with: Array(file.text.utf8), mode: file.name.hasSuffix(".crt") ? 0o644 : 0o600)
        } catch {
            throw Failure(.disk, "\(error): run it by sudo")
        }
        keys.append((file.key, "mqtt", "\"\(file.name)\""))
    }
    return keys
}

private func text(at path: String) throws(Failure) -> String? {
    do throws(SystemError) {
        return String(decoding: try readFile(at: path, limit: 1 << 20), as: UTF8.self)
    } catch {
        guard error.code == ENOENT else { throw Failure(.noInput, "\(error)") }
        return nil
    }
}

/// Writes the configuration, unless it would be none.
private func write(_ text: String, to path: String, former: String?) throws(Failure) {
    let reading = readSettings(Array(text.utf8), file: path) { GatewayConfiguration($0, hostName: localHostName()) }
    guard reading.configuration != nil else {
        throw Failure(.configuration, reading.problems.map { "\($0)" }.joined(separator: "\n"))
    }
    guard text != former else {
        printLine("\(path) says so already.")
        return
    }
    do throws(SystemError) {
        if let folder = path.lastIndex(of: "/") { try StateFolder(path: String(path[..<folder])).make(mode: 0o755) }
        if let former { try replaceFile(at: path + ".old", with: Array(former.utf8), mode: 0o644) }
        try replaceFile(at: path, with: Array(text.utf8), mode: 0o644)
    } catch {
        throw Failure(.disk, "\(error): run it by sudo")
    }
    printLine("Wrote \(path)\(former == nil ? "" : "; what it said before is in \(path).old").")
}

/// Starts the service whose configuration this is, now and at every boot, where systemd runs.
private func start(_ path: String) throws(Failure) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.dropLast() == ["", "etc", "forgetmenot"], let name = parts.last, name.hasSuffix(".toml"),
        access("/run/systemd/system", F_OK) == 0
    else {
        printLine("No service of systemd's belongs to it: forgetmenot-gateway run --config \(path)")
        return
    }
    let unit = "forgetmenot-\(name.dropLast(5)).service"
    for words in [["enable", unit], ["restart", unit]] {
        let ending: Subprocess.Ending
        do throws(SystemError) {
            ending = try Subprocess(["systemctl"] + words, input: []).waitForEnd()
        } catch {
            throw Failure(.unavailable, "\(error)")
        }
        guard ending == .exited(0) else {
            throw Failure(
                .unavailable, "systemctl \(words.joined(separator: " ")) has failed: see journalctl -u \(unit)")
        }
    }
    printLine("\(unit) runs, now and after every boot: systemctl status \(unit)")
}
