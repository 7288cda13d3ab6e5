/// The first levels of every topic: `forgetmenot`, or several levels such as `home/forgetmenot`.
public struct TopicPrefix: Hashable, Sendable {
    /// The levels, separated by slashes, without a slash at the end.
    public let text: String

    /// The default prefix, `forgetmenot`.
    public static let standard = TopicPrefix(unchecked: "forgetmenot")

    /// Creates a prefix of 1 to 8 levels and at most 256 bytes. The result is `nil` if a level is empty or contains
    /// `+`, `#` or a control character. A prefix must not begin with `$`, which brokers reserve.
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
    /// The text of the prefix.
    public var description: String { text }
}
