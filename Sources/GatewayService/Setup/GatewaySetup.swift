import GatewayCore
import Broker
import Doctor
import Glibc
import Linux
import Settings
import Text

/// The options of `setup`. For other settings, `setup` asks or leaves them as they are.
package struct GatewaySetupWords {
    /// What proves to the broker who the gateway is; without a text it is on standard input, so that it is never a program's argument.
    package enum Secret: Sendable {
        /// A password in one line, and below it the certificate of the broker's authority (PEM) if the connection uses TLS.
        case password(String? = nil)
        /// In PEM: the certificates of the broker's authority and of the gateway, and the gateway's key.
        case certificates(String? = nil)

        /// Whether somebody is to type it.
        var isPassword: Bool { if case .password(nil) = self { true } else { false } }

        /// Whether the site has sent it to a gateway that joins.
        var isInvitation: Bool {
            switch self {
            case .password(let text), .certificates(let text): text != nil
            }
        }
    }

    package var file: String
    package var id: String?
    /// The room that the gateway serves.
    package var room: String?
    /// The broker's name or address.
    package var host: String?
    package var port: Int?
    package var prefix: String?
    /// The radio, as in `radio.source`.
    package var source: String?
    package var secret: Secret?
    package var starts = true

    package init(file: String) { self.file = file }
}

/// Writes the configuration, runs doctor, and starts the service: `forgetmenot-gateway setup`.
///
/// In an existing file it changes only its keys; everything else stays. Everything is checked before anything is written.
package func setUpGateway(_ words: GatewaySetupWords) throws(Failure) -> ExitStatus {
    let (former, text, files) = try draft(words)
    let formerID = id(in: words.file)
    try write(text, to: words.file, former: former, beside: files)
    if let formerID, formerID != id(in: words.file) {
        printLine(
            "This machine was the gateway \(formerID). The site still has it, and items that it had cannot leave: remove it there with "
                + "`sudo forgetmenot gateways remove \(formerID)`")
    }
    // Whoever names a room here does not want the one of an earlier `gateways set`.
    if words.room != nil, let folder = try? readGatewayConfiguration(at: words.file).stateDirectory {
        unlink("\(folder)/\(GatewayFile.settings.rawValue)")
    }

    printLine("")
    let findings = try findings(at: words.file, isBeforeStart: true)
    _ = report(findings, asJSON: false)
    if findings.contains(where: { $0.subject == "credentials" && $0.verdict == .failed }),
        words.secret?.isPassword ?? true, let id = id(in: words.file)
    {
        printLine(
            "With --password-stdin, this gateway's user at the broker is its id, \(id): --id gives it another one.")
    }
    // The service waits for the time, which a machine that has just started may not have yet, and runs with a weak power supply.
    let status: ExitStatus =
        findings.contains { $0.verdict == .failed && !["clock", "power"].contains($0.subject) } ? .unavailable : .right
    printLine("")
    guard words.starts else { return status }
    try start(words.file)
    return status
}

/// The id that stands in a configuration, if there is one.
private func id(in file: String) -> String? {
    var known: String?
    _ = try? readSettings(at: file, otherTables: .ignored) { known = $0.id("id") }
    return known
}

/// Throws what prevents `setUpGateway` from writing a configuration with these options, and writes nothing.
func checkSetup(_ words: GatewaySetupWords) throws(Failure) { _ = try draft(words) }

/// The former text of the configuration, the text to write, and the files that it names.
private func draft(
    _ words: GatewaySetupWords
) throws(Failure) -> (former: String?, text: String, files: [SecretFile]) {
    _ = try orFail(.usage) { try namedFile(at: words.file) }
    let responses = try ask(words)
    let former = try text(at: words.file)
    let (keys, files) = try plan(responses)
    var text = former ?? ""
    // What the broker required before, it may refuse now. Only an invitation, or this machine's own broker, may end TLS.
    let mayDrop = responses.secret?.isInvitation == true || responses.secret != nil && responses.host == "localhost"
    for key in mayDrop ? proofKeys : [] where !keys.contains(where: { $0.key == key }) {
        text = withoutSetting(key, in: "mqtt", of: text)
    }
    for (key, table, value) in keys { text = setting(key, to: value, in: table, of: text) }
    try examine(text, of: words.file)
    return (former, text, files)
}

/// Asks for the room and the broker if they are missing and there is a terminal.
private func ask(_ words: GatewaySetupWords) throws(Failure) -> GatewaySetupWords {
    var words = words
    let known = try? readGatewayConfiguration(at: words.file)
    if words.room == nil || words.host == nil {
        guard let terminal = Terminal() else {
            guard known != nil else {
                throw Failure(
                    .usage,
                    "room and broker are missing, and there is no terminal to ask for them: give --room and --host")
            }
            return words
        }
        if words.room == nil { words.room = terminal.ask("Which room does this gateway serve?", standard: known?.room) }
        if words.host == nil {
            words.host = terminal.ask("Where is the broker (a name or an address)?", standard: known?.broker.host)
        }
        guard words.room?.isEmpty == false, words.host?.isEmpty == false else {
            throw Failure(.usage, "a gateway needs a room and a broker: give --room and --host")
        }
    }
    return words
}

/// A file beside the configuration, which a key names.
struct SecretFile {
    var path: String
    var text: String

    /// Whether all users may read it.
    var isPublic: Bool { path.hasSuffix(".crt") }
}

/// The keys of [mqtt] that prove to the broker who the gateway is, and to the gateway who the broker is.
private let proofKeys = ["username", "password_file", "ca_file", "verify_hostname", "certificate_file", "key_file"]

/// The keys to set, and the files that they name.
private func plan(
    _ words: GatewaySetupWords
) throws(Failure) -> (keys: [(key: String, table: String?, value: String)], files: [SecretFile]) {
    var keys: [(String, String?, String)] = []
    // The host may get another name, but the broker knows the gateway by its id: one that stands in no file yet is written.
    let known = id(in: words.file)
    let id = words.id ?? known ?? makeID(from: localHostName()) ?? "gateway"
    if id != known { keys.append(("id", nil, tomlText(id))) }
    if let room = words.room { keys.append(("room", nil, tomlText(room))) }
    if let host = words.host { keys.append(("host", "mqtt", tomlText(host))) }
    if let port = words.port { keys.append(("port", "mqtt", "\(port)")) }
    if let prefix = words.prefix { keys.append(("prefix", "mqtt", tomlText(prefix))) }
    if let source = words.source { keys.append(("source", "radio", tomlText(source))) }
    guard let secret = words.secret else { return (keys, []) }
    // The files are beside the configuration, and their names begin with its name.
    let name = words.file.split(separator: "/").last.map { $0.hasSuffix(".toml") ? $0.dropLast(5) : $0 } ?? "gateway"
    let files: [(key: String, name: String, text: String)]
    switch secret {
    case .password(let given):
        keys.append(("username", "mqtt", tomlText(id)))
        let (password, authority) = try password(given)
        let certificate = authority.map { ("ca_file", "\(name)-ca.crt", $0) }
        files = [("password_file", "\(name).password", password + "\n")] + (certificate.map { [$0] } ?? [])
        // The site's own authority signs nothing but this broker's certificate, and the broker's name may change.
        if authority != nil { keys.append(("verify_hostname", "mqtt", "false")) }
    case .certificates(let given):
        let text = if let given { given } else { String(decoding: try standardInput(), as: UTF8.self) }
        guard let parts = PEMParts(text) else {
            throw Failure(
                .noInput, "standard input does not contain two certificates and a key (PEM): paste the whole line")
        }
        files = [
            ("ca_file", "\(name)-ca.crt", parts.authority), ("certificate_file", "\(name).crt", parts.certificate),
            ("key_file", "\(name).key", parts.key),
        ]
    }
    keys += files.map { ($0.key, "mqtt", "\"\($0.name)\"") }
    return (keys, files.map { SecretFile(path: sibling($0.name, of: words.file), text: $0.text) })
}

/// Reads the password, and the certificate of the broker's authority, from `given`, else from standard input. At a terminal it asks for the
/// password and does not show it.
private func password(_ given: String?) throws(Failure) -> (password: String, authority: String?) {
    let bytes: [UInt8]
    if let given {
        bytes = Array(given.utf8)
    } else if isatty(STDIN_FILENO) == 1, let terminal = Terminal() {
        bytes = Array((terminal.askSecret("The broker's password for this gateway") ?? "").utf8)
    } else {
        bytes = try standardInput()
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    let rest = lines.count > 1 ? String(decoding: lines[1], as: UTF8.self) : ""
    let (authority, hasRest) = (PEMParts.certificate(rest), !rest.allSatisfy(\.isWhitespace))
    guard let first = lines.first, let password = String(validating: first, as: UTF8.self), !hasRest || authority != nil
    else {
        throw Failure(
            .noInput,
            "standard input does not contain one line with a password, and below it a certificate (PEM) or nothing: paste the whole line"
        )
    }
    return (password, authority)
}

private func standardInput() throws(Failure) -> [UInt8] {
    try orFail(.noInput) { try readInput(at: "/dev/stdin", limit: 1 << 16) }
}

func text(at path: String) throws(Failure) -> String? {
    do throws(SystemError) {
        return String(decoding: try readFile(at: path, limit: 1 << 20), as: UTF8.self)
    } catch {
        guard error.code == ENOENT else { throw Failure(.noInput, "\(error)") }
        return nil
    }
}

/// Throws if the text is not a valid configuration.
func examine(_ text: String, of path: String) throws(Failure) {
    let reading = readSettings(Array(text.utf8), file: path) { GatewayConfiguration($0, hostName: localHostName()) }
    guard reading.configuration != nil else {
        throw Failure(.configuration, reading.problems.map { "\($0)" }.joined(separator: "\n"))
    }
}

/// Writes the configuration and the files that it names. If one cannot be written, none is.
func write(
    _ text: String, to path: String, former: String?, beside files: [SecretFile] = []
) throws(Failure) {
    var changes: [String] = []
    try orFail(.disk, ": run setup with sudo") {
        if path.contains("/") { try StateFolder(path: sibling(".", of: path)).make(mode: 0o755) }
        var staged: [StagedFile] = []
        for file in files {
            let old = try? readFile(at: file.path)
            guard old != Array(file.text.utf8) else { continue }
            if let old {
                staged.append(try StagedFile(old, for: file.path + ".old"))
                changes.append("\(file.path) has changed; the former file is \(file.path).old.")
            }
            staged.append(try StagedFile(Array(file.text.utf8), for: file.path, mode: file.isPublic ? 0o644 : 0o600))
        }
        if text == former {
            changes.append("\(path) needs no change.")
        } else {
            if let former {
                var status = stat()
                // The former text keeps the configuration's permissions.
                let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o600
                staged.append(try StagedFile(Array(former.utf8), for: path + ".old", mode: mode))
            }
            staged.append(try StagedFile(Array(text.utf8), forNamed: path))
            changes.append("Wrote \(path)\(former == nil ? "" : "; its former text is in \(path).old").")
        }
        for file in staged { try file.commit() }
    }
    for change in changes { printLine(change) }
}

/// The systemd service that has this configuration; `nil` if none has, or systemd does not run.
func gatewayUnit(of path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.dropLast() == ["", "etc", "forgetmenot"], let name = parts.last, name.hasSuffix(".toml"),
        isSystemdRunning
    else { return nil }
    return "forgetmenot-\(name.dropLast(5)).service"
}

/// Starts the service of this configuration now and after each start of the machine, if systemd runs.
private func start(_ path: String) throws(Failure) {
    guard let unit = gatewayUnit(of: path) else {
        printLine(
            "No systemd service has this configuration. Start the gateway with: forgetmenot-gateway run --config \(path)"
        )
        return
    }
    try systemctl("enable", unit)
    try systemctl("restart", unit)
    printLine("\(unit) runs now, and starts with the machine: systemctl status \(unit)")
}
