import Glibc
import Joining
import Linux
import Settings

/// Fetches this gateway's configuration from the site, and sets the gateway up with it: `forgetmenot-gateway join`.
///
/// - Parameters:
///   - host: the site's name or address, as `forgetmenot gateways invite` has printed it; `nil`: looked for on this network.
///   - code: the code that it has printed; `nil`: asked for.
///   - words: the options of `setup` that the site does not know.
package func joinSite(
    at host: String?, port: Int?, code: String?, _ words: GatewaySetupWords
) throws(Failure) -> ExitStatus {
    let typed = if let code { code } else { try typedCode(of: host) }
    guard let code = JoinCode(typed) else {
        throw Failure(
            .usage,
            "\(tomlText(typed)) is no code: type the 26 letters and digits that `forgetmenot gateways invite` printed")
    }
    try check(words)
    let text =
        if let host {
            try Invitation.fetch(from: host, port: port ?? Invitation.standardPort, code: code)
        } else {
            try Invitation.fetch(from: try AnnouncedSite.all(), port: port, code: code)
        }
    // A later release may send more.
    let reading = readSettings(Array(text.utf8), file: host ?? "the site", otherTables: .ignored) {
        invited(by: $0, at: host, words)
    }
    guard let words = reading.configuration else {
        throw Failure(.configuration, reading.problems.map { "\($0)" }.joined(separator: "\n"))
    }
    return try setUpGateway(words)
}

private func typedCode(of host: String?) throws(Failure) -> String {
    guard let terminal = Terminal() else {
        throw Failure(.usage, "the code is missing, and there is no terminal to ask for it: give it behind the host")
    }
    return terminal.ask("The code that \(host ?? "`forgetmenot gateways invite`") has printed") ?? ""
}

/// Throws what prevents the setup, whatever the site sends: the code works once, so that it is not used before.
private func check(_ words: GatewaySetupWords) throws(Failure) {
    guard access(sibling(".", of: words.file), W_OK) == 0 || errno == ENOENT else {
        throw Failure(.disk, "\(SystemError.last("write to the folder of \(words.file)")): run join with sudo")
    }
    var words = words
    (words.host, words.id, words.room) = ("site", "gateway", "gateway")
    (words.port, words.prefix) = (1883, "forgetmenot")
    try checkSetup(words)
    // A file without write permission is replaced; one that is immutable cannot be.
    guard access(words.file, W_OK) == 0 || errno != EPERM else {
        throw Failure(.disk, "\(SystemError.last("replace \(words.file)")): run chattr -i, or name another file")
    }
}

/// The options of `setup`, completed by what the site has sent.
func invited(by root: SettingsTable, at host: String?, _ words: GatewaySetupWords) -> GatewaySetupWords? {
    var words = words
    // What the site calls itself is proved by the code. What a machine announces is not.
    words.host = host ?? root.required.text("host")
    (words.id, words.port) = (root.required.id("id"), root.integer("port", in: 1...65_535))
    (words.room, words.prefix) = (root.text("room") ?? words.id, root.text("prefix"))
    if let password = root.parsed("passwords", "a password", by: { $0 }) { words.secret = .password(password) }
    if let parts = root.parsed("certificates", "PEM", by: { $0 }) { words.secret = .certificates(parts) }
    if words.secret == nil { root.note("passwords", "is missing, and so is certificates: update the site's package") }
    return words.id == nil || words.secret == nil || words.host == nil ? nil : words
}
