/// The name that an advertisement's sender gives itself, made fit for a terminal: anybody may send any bytes.
public struct LocalName: Hashable, Sendable {
    /// The name: valid Unicode without control characters, line breaks or marks that turn the direction of text, never empty.
    public var text: String
    /// Whether it is the whole name, or its beginning only.
    public var isComplete: Bool

    /// Finds the name in an advertisement's data, the complete one before a shortened one; `nil` where there is none to show.
    ///
    /// Ends at a NUL, as some senders pad with it. What cannot be shown becomes U+FFFD. At most 254 bytes, as an AD structure has no more.
    public init?(in data: RawSpan) {
        var structures = ADStructures()
        var found: LocalName?
        while let structure = structures.next(in: data) {
            let isComplete = structure.type == ADType.completeName
            guard isComplete || (structure.type == ADType.shortenedName && found == nil) else { continue }
            guard let text = Self.text(of: data.extracting(structure.content)) else { continue }
            found = LocalName(text: text, isComplete: isComplete)
            if isComplete { break }
        }
        guard let found else { return nil }
        self = found
    }

    private init(text: String, isComplete: Bool) {
        self.text = text
        self.isComplete = isComplete
    }

    private static func text(of bytes: RawSpan) -> String? {
        let raw = bytes.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        var text = ""
        for scalar in raw.unicodeScalars {
            text.unicodeScalars.append(scalar.isShowable ? scalar : "\u{FFFD}")
        }
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text.isEmpty ? nil : text
    }
}

extension Unicode.Scalar {
    /// Whether it leaves a terminal, a table and the direction of the text around it as they are.
    fileprivate var isShowable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        // The joiners, which Persian, Hindi and emoji are spelled with, are the only format characters that a name needs.
        case .format: self == "\u{200C}" || self == "\u{200D}"
        default: true
        }
    }
}
