import Beacons
import Settings

/// The phones and watches of a file of identity resolving keys.
package struct IdentityKeys: Hashable, Sendable {
    /// The limit of keys in a file.
    package static let most = 100

    /// A device, and the name that its owner gave it.
    package struct Entry: Hashable, Sendable {
        package var key: IdentityKey
        package var name: String
    }

    package private(set) var entries: [Entry] = []
    /// The lines that are wrong, each in a sentence that does not contain the key.
    package private(set) var faults: [Fault] = []
    /// Whether the file could be read.
    private var isReadable = true

    /// No devices, and no file that names any.
    package init() {}

    /// The devices of a file that cannot be read: nobody knows which.
    package static var unreadable: IdentityKeys {
        var keys = IdentityKeys()
        keys.isReadable = false
        return keys
    }

    /// Reads a file: one device in each line, the key and then a name; `#` begins a comment. A wrong line costs only its own device.
    package init(lines text: String) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(Fault) {
                if let entry = try entry(in: line, number: index + 1) { entries.append(entry) }
            } catch {
                faults.append(error)
            }
        }
    }

    /// Reads a file that has to be right.
    ///
    /// - Throws: the first line that is wrong, in a sentence that does not contain the key.
    package init(file text: String) throws(Fault) {
        self.init(lines: text)
        if let fault = faults.first { throw fault }
    }

    /// Whether a beacon may be a device whose line cannot be read: it has the form of a key's identity, which is all that is known of it.
    package func mayMiss(_ beacon: BeaconIdentity) -> Bool {
        guard !isReadable || !faults.isEmpty else { return false }
        return IdentityKey.mayHave(beacon) && !entries.contains { $0.key.beacon == beacon }
    }

    private func entry(in line: Substring, number: Int) throws(Fault) -> Entry? {
        let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard let first = words.first, !first.hasPrefix("#") else { return nil }
        guard let key = IdentityKey(first) else { throw Fault(line: number, Self.expected) }
        var name = words.dropFirst().first?.drop(while: \.isWhitespace) ?? ""
        while name.last?.isWhitespace == true { name.removeLast() }
        guard (1...SettingsTable.longestName).contains(name.utf8.count), !name.unicodeScalars.contains(where: isControl)
        else {
            let lengths = "1 to \(SettingsTable.longestName) bytes"
            throw Fault(line: number, "has no name of \(lengths) behind the key: write one, like \"Anna's phone\"")
        }
        guard !entries.contains(where: { $0.key.beacon == key.beacon }) else {
            throw Fault(line: number, "has a key of a line before: remove one of them")
        }
        guard entries.count < Self.most else {
            throw Fault(line: number, "is one key too many: a file has at most \(Self.most)")
        }
        return Entry(key: key, name: String(name))
    }

    /// The text of a file with one device more, or the same text if it has the device. All other lines stay as they are, comments among them.
    ///
    /// - Throws: why the file would be wrong, in a sentence that contains no key.
    package static func adding(_ key: IdentityKey, name: String, to text: String) throws(Fault) -> String {
        if try IdentityKeys(file: text).entries.contains(where: { $0.key.beacon == key.beacon }) { return text }
        let end = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
        let new = text + end + "\(hexadecimal(key.bytes)) \(name)\n"
        _ = try IdentityKeys(file: new)
        return new
    }

    private static let expected =
        "does not begin with a key: write 32 hexadecimal digits or 24 characters of Base64, then a name"

    /// What is wrong with a file.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let description: String

        init(line: Int, _ reason: String) { description = "line \(line) \(reason)" }
    }
}
