/// The PEM parts for a gateway that authenticates with a certificate, one after the other.
struct PEMParts: Hashable {
    var authority: String
    var certificate: String
    var key: String

    /// Reads two certificates, the authority's first, and a key; `nil` if a part is missing or there are more.
    init?(_ text: String) {
        guard let blocks = Self.blocks(of: text), blocks.count == 3, blocks[0].label == "CERTIFICATE",
            blocks[1].label == "CERTIFICATE", blocks[2].label.hasSuffix("PRIVATE KEY")
        else { return nil }
        (authority, certificate, key) = (blocks[0].text, blocks[1].text, blocks[2].text)
    }

    /// The only certificate in `text`; `nil` if there is none, or more than one block.
    static func certificate(_ text: String) -> String? {
        guard let blocks = blocks(of: text), blocks.count == 1, blocks[0].label == "CERTIFICATE" else { return nil }
        return blocks[0].text
    }

    /// The blocks with their labels, in order; `nil` if one does not end.
    private static func blocks(of text: String) -> [(label: Substring, text: String)]? {
        var blocks: [(label: Substring, text: String)] = []
        var open: (label: Substring, text: String)?
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                guard open == nil else { return nil }
                open = (line.dropFirst(11).prefix { $0 != "-" }, "")
            }
            open?.text += line + "\n"
            if let block = open, line.hasPrefix("-----END \(block.label)-----") {
                blocks.append(block)
                open = nil
            }
        }
        return open == nil ? blocks : nil
    }
}
