import Glibc
import Linux
import Settings

/// The aggregator's configuration, in which `broker-setup` completes the broker and the user.
struct AggregatorFile {
    private let path: String
    private let former: String

    /// Reads the file at `path`, an absolute path; `nil` if it does not exist. Throws if it is not a regular file.
    init?(at path: String) throws(Failure) {
        guard access(path, F_OK) == 0 else { return nil }
        _ = try orFail(.usage) { try namedFile(at: path) }
        former = String(decoding: try orFail(.disk) { try readFile(at: path, limit: 1 << 20) }, as: UTF8.self)
        self.path = path
    }

    /// Writes the missing keys, and the files that they name beside it. If one cannot be written, none is.
    ///
    /// - Returns: a sentence about the change; `nil` if nothing changed.
    func complete(for site: SiteBroker, from folder: SetupFolder) throws(Failure) -> String? {
        // The files beside it begin with its name.
        let name = path.split(separator: "/").last ?? "aggregator.toml"
        let stem = String(name.hasSuffix(".toml") ? name.dropLast(5) : name)
        var text = former
        // The aggregator runs on the broker's machine, so its host is localhost.
        for (key, value) in site.brokerKeys(of: site.aggregator, in: .users, host: "localhost", file: stem) {
            text = setting(key, to: value, in: "mqtt", of: text)
        }
        try orFail(.disk) {
            var staged: [StagedFile] = []
            for (source, name) in site.files(of: site.aggregator, for: stem, host: "localhost") {
                guard let secret = try? readFile(at: folder.file(source)) else { continue }
                let copy = sibling(name, of: path)
                guard (try? readFile(at: copy)) != secret else { continue }
                staged.append(try StagedFile(secret, for: copy, mode: name.hasSuffix(".crt") ? 0o644 : 0o600))
            }
            if text != former { staged.append(try StagedFile(Array(text.utf8), forNamed: path)) }
            for file in staged { try file.commit() }
        }
        return text == former ? nil : "Completed [mqtt] in \(path)."
    }
}
