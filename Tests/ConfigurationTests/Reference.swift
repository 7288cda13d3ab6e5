import GatewayCore
import Linux
import PageConfiguration
import Settings

/// A configuration file of this repository, and the program that reads it.
enum Reference: String, CaseIterable {
    case gateway = "gateway.toml"
    case aggregator = "deploy/aggregator.toml"

    /// Where the file is.
    var path: String {
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/" + rawValue
    }

    /// The file's text.
    func text() throws -> String {
        String(decoding: try readFile(at: path), as: UTF8.self)
    }

    /// The text with every key and header that is commented out, `#key = …` and `#[table]`, as if it weren't.
    func uncommented() throws -> String {
        try text().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let second = line.dropFirst().first
            return line.first == "#" && second != " " && second != nil ? line.dropFirst() : line
        }.joined(separator: "\n")
    }

    /// The same without the aggregator's name: an aggregator with a name has neither items nor a standby.
    func withoutName() throws -> String { try uncommented().replacing("\nname = \"north\"\n", with: "\n") }

    /// What its program makes of a text.
    func read(_ text: [UInt8]) -> SettingsReading<Void> {
        readSettings(text, file: rawValue) { root in
            switch self {
            case .gateway: _ = GatewayConfiguration(root, hostName: "pi")
            case .aggregator: _ = ServiceConfiguration(root)
            }
        }
    }

    /// The problems that its program has with a text, as they are printed.
    func problems(of text: String) -> [String] {
        read(Array(text.utf8)).problems.map(\.description)
    }
}
