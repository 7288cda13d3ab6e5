/// Limits the space of lists of texts from outside in a payload, so that every payload stays within the limits of its readers
/// (`JSONLimits.payload`), whatever names gateways and files contain.
enum PayloadBudget {
    /// The bytes of all texts of one list, as JSON has them.
    static let list = 24 << 10

    /// The number of bytes of `text` in a JSON document, with its quotes.
    static func length(of text: String) -> Int {
        text.utf8.reduce(2) { length, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): length + 2
            case 0..<0x20: length + 6
            default: length + 1
            }
        }
    }
}

extension Sequence<String> {
    /// The first texts, at most `count` of them, that fit into `PayloadBudget.list`. A text that readers refuse because it
    /// is longer than `Fields.longestText` is omitted.
    func fitting(count: Int) -> [String] {
        var (texts, rest): ([String], Int) = ([], PayloadBudget.list)
        for text in self where texts.count < count && text.utf8.count <= Fields.longestText {
            rest -= PayloadBudget.length(of: text)
            guard rest >= 0 else { break }
            texts.append(text)
        }
        return texts
    }
}
