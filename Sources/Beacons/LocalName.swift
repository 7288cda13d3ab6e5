/// The name that a sender puts into its advertisements, made safe for a terminal: any sender can send any bytes.
public struct LocalName: Hashable, Sendable {
    /// The name: never empty, valid Unicode without control characters, line breaks and characters that change the
    /// writing direction.
    public var text: String
    /// Whether the sender marks the name as complete, not as shortened.
    public var isComplete: Bool

    /// Finds the name in an advertisement's data: a complete name before a shortened one, or `nil` if no name has
    /// visible characters.
    ///
    /// The name ends at a NUL, because some senders pad with NUL. A character that must not reach a terminal becomes
    /// U+FFFD. A name has at most 254 bytes, the limit of an AD structure.
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
    /// Whether the character moves no cursor and changes neither lines nor writing direction.
    fileprivate var isShowable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        // The joiners are the only format characters that names need: Persian, Hindi and emoji are spelled with them.
        case .format: self == "\u{200C}" || self == "\u{200D}"
        default: true
        }
    }
}
