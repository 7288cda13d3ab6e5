import Settings

/// Reads `text` as the contents of `gateway.toml`; returns the printed problems.
func problems(in text: String, _ read: (SettingsTable) -> Void) -> [String] {
    readSettings(Array(text.utf8), file: "gateway.toml") { read($0) }.problems.map(\.description)
}

/// The problem of the only setting in `text`, without the name of the file.
func problem(_ text: String, _ read: (SettingsTable) -> Void) -> String {
    problems(in: text, read).map { $0.dropFirst("gateway.toml:".count) }.joined(separator: "\n")
}

/// The result of `read` for a text without problems; `nil` if there is one.
func value<Value>(_ text: String, _ read: (SettingsTable) -> Value?) -> Value? {
    readSettings(Array(text.utf8), file: "/etc/forgetmenot/gateway.toml") { .some(read($0)) }.configuration ?? nil
}
