import Settings

/// Reads `text` as the content of `gateway.toml`, and gives the problems as they are printed.
func problems(in text: String, _ read: (SettingsTable) -> Void) -> [String] {
    readSettings(Array(text.utf8), file: "gateway.toml") { read($0) }.problems.map(\.description)
}

/// The problem of the one setting that `text` has, without the file's name.
func problem(_ text: String, _ read: (SettingsTable) -> Void) -> String {
    problems(in: text, read).map { $0.dropFirst("gateway.toml:".count) }.joined(separator: "\n")
}

/// What `read` makes of a text without problems; `nil` where it has one.
func value<Value>(_ text: String, _ read: (SettingsTable) -> Value?) -> Value? {
    readSettings(Array(text.utf8), file: "/etc/forgetmenot/gateway.toml") { .some(read($0)) }.configuration ?? nil
}
