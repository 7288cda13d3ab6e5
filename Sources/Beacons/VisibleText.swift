extension String {
    /// Whether nobody sees the text: it is empty, or has only spaces and characters that are not displayed.
    package var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace || isInvisible($0) } }

    /// The text without the characters that change nothing visible: soft hyphen, space of no width, marks of direction, word joiner, byte order mark.
    /// Joiners of emoji and of letters change what is displayed, and so do tags and variants. Names that differ by nothing visible are one name.
    package var visible: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.filter { scalar in
                    switch scalar.value {
                    case 0xAD, 0x200B, 0x200E...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x2069, 0xFEFF: false
                    default: true
                    }
                }))
    }
}

private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
}
