/// What stands before each topic: `forgetmenot`, or several levels as in `home/forgetmenot`.
public struct TopicPrefix: Hashable, Sendable {
    /// The levels with the slashes between them, and none at the end.
    public let text: String

    /// `forgetmenot`, unless configured otherwise.
    public static let standard = TopicPrefix(unchecked: "forgetmenot")

    /// A prefix of 1 to 8 levels and at most 256 bytes; `nil` where a level is empty, or has `+`, `#` or a control character, or where
    /// it begins with `$`, which brokers keep for themselves.
    public init?(_ text: String) {
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, levels.count <= 8, text.utf8.first != UInt8(ascii: "$"),
            levels.allSatisfy({ !$0.isEmpty }),
            text.unicodeScalars.allSatisfy({ $0 != "+" && $0 != "#" && $0.properties.generalCategory != .control })
        else { return nil }
        self.text = text
    }

    private init(unchecked text: String) {
        self.text = text
    }
}

extension TopicPrefix: CustomStringConvertible {
    /// As it was written.
    public var description: String { text }
}
