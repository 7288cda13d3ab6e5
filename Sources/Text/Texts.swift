/// Sentences for people in the language of the site. The English sentence is the key: without a translation it stays English.
package struct Texts: Hashable, Sendable {
    /// English, which needs no table.
    package static let english = Texts([:])

    private let translations: [String: String]
    /// The other languages: the broker may retain payloads that an earlier run wrote in one of them.
    package var others: [Texts] = []

    /// The language of this table: a translation for each English sentence.
    package init(_ translations: [String: String]) { self.translations = translations }

    /// Returns a sentence in the language of the site.
    ///
    /// - Parameters:
    ///   - sentence: a literal, such as `"{item} is back."`: a test compares all of them with the files of the languages.
    ///   - values: what stands in place of each `{name}`.
    package func localized(_ sentence: String, _ values: [String: String] = [:]) -> String {
        Self.filled(translations[sentence] ?? sentence, values)
    }

    /// Returns a text, which may be a user's own, with the values in place of each `{name}`; what has no value stays.
    package static func filled(_ template: String, _ values: [String: String]) -> String {
        var rest = template[...]
        var text = ""
        while !values.isEmpty, let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            text += values[String(rest[rest.index(after: open)..<close])] ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }
}
