/// The first levels of every topic: `forgetmenot`, or several levels such as `home/forgetmenot`.
public struct TopicPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The levels, separated by slashes, without a slash at the end.
    public let text: String

    /// The default prefix, `forgetmenot`.
    public static let standard = TopicPrefix(unchecked: "forgetmenot")

    /// Creates a prefix of 1 to 8 levels and at most 256 bytes. The result is `nil` if a level is empty or contains
    /// `+`, `#` or a control character. A prefix must not begin with `$`, which brokers reserve.
    public init?(_ text: String) {
        guard Self.isValid(text) else { return nil }
        self.text = text
    }

    /// Looks at each byte once, because services make a prefix from their configuration for each message.
    private static func isValid(_ text: String) -> Bool {
        var text = text
        var (levels, length, isASCII) = (1, 0, true)
        let isPlain = text.withUTF8 { bytes in
            guard bytes.count <= 256, bytes.first != UInt8(ascii: "$") else { return false }
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "/"):
                    guard length > 0 else { return false }
                    (levels, length) = (levels + 1, 0)
                case UInt8(ascii: "+"), UInt8(ascii: "#"), 0..<0x20, 0x7F: return false
                default: (length, isASCII) = (length + 1, isASCII && byte < 0x80)
                }
            }
            return length > 0 && levels <= 8
        }
        // The control characters beyond ASCII are U+0080 to U+009F.
        return isPlain && (isASCII || !text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) })
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// The text of the prefix.
    public var description: String { text }
}
