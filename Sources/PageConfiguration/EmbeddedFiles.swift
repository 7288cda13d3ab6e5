import CPage
import Messages
import Settings
import Text

/// The files of the page, by name, as `CPage.c` lists them.
package func embeddedFiles() -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = []
    var file = page_files()
    while let next = file, let name = next.pointee.name, let text = next.pointee.text {
        files.append((String(cString: name), Array(String(cString: text).utf8)))
        file = next + 1
    }
    return files
}

extension Texts {
    /// Reads `language`: the tag of one of the languages that the page has a file of, or English.
    init(_ root: SettingsTable) {
        var languages = [(tag: "en", texts: Texts.english)] + Self.embedded
        let known = languages.map { "\"\($0.tag)\"" }.joined(separator: ", ")
        let place = root.parsed("language", "one of \(known)") { tag in languages.firstIndex { $0.tag == tag } }
        self = languages.remove(at: place ?? 0).texts
        others = languages.map(\.texts)
    }

    /// The languages with a file of the page, by their tags.
    private static var embedded: [(tag: String, texts: Texts)] {
        embeddedFiles().compactMap { name, bytes in
            guard name.hasPrefix("language-"), name.hasSuffix(".json") else { return nil }
            let members = (try? JSONValue(parsing: bytes, limits: .list))?.object?.members ?? []
            let tag = String(name.dropFirst("language-".count).dropLast(".json".count))
            return (tag, Texts(Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.string ?? "") })))
        }
    }
}
