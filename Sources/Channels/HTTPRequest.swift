/// A request to a server, which the program curl sends.
struct HTTPRequest: Hashable, Sendable {
    /// How long the server may take, in seconds.
    static let longest = 10

    var method = "POST"
    var url: String
    var headers: [String] = []
    var body: [UInt8] = []
    /// Whether curl reads the body from the descriptor `Subprocess` attaches: its configuration is text.
    var isAttached = false

    /// The program without secrets in its arguments: every user of the machine can read those.
    static let words = ["curl", "--disable", "--config", "-"]

    /// What curl reads from its standard input: the request, and what curl may do to fulfil it.
    ///
    /// No proxy and no redirection sees the secrets, the certificate is verified, and of the response only the status is printed, and
    /// when the server wants the next request.
    var configuration: [UInt8] {
        var lines = ["silent", "globoff", "noproxy = \"*\"", "proto = \"=http,https\"", "output = \"/dev/null\""]
        lines += [
            "write-out = \"%{http_code} %header{retry-after}\"", "max-time = \(Self.longest)", "max-filesize = 65536",
        ]
        lines += ["request = \(quoted(method))", "url = \(quoted(url))"]
        lines += headers.map { "header = \(quoted($0))" }
        lines.append(
            isAttached
                ? "data-binary = \"@/proc/self/fd/3\""
                : "data-raw = \(quoted(String(decoding: body, as: UTF8.self)))")
        return Array(lines.joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
    }

    /// A value as curl reads it in quotes. A line break would begin another option.
    private func quoted(_ text: String) -> String {
        var result = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"", "\\": result += "\\\(character)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }
}
