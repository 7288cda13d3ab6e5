extension String {
    /// Whether nobody sees the text: it is empty, or has only spaces and characters that are not displayed.
    package var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace || isInvisible($0) } }

    /// The text without characters that are not displayed. Names that differ by nothing visible are one name.
    package var visible: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { !isInvisible($0) }))
    }
}

private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
}
