/// The limits of a JSON document. The reader refuses a document that exceeds any of them.
public struct JSONLimits: Hashable, Sendable {
    /// The document's length in bytes.
    public var bytes: Int
    /// The depth of nested arrays and objects; `[]` is 1. The reader recurses to this depth, so keep it small.
    public var depth: Int
    /// The number of values: members, elements and the document itself.
    public var elements: Int

    /// Creates limits from all their properties.
    public init(bytes: Int, depth: Int = 16, elements: Int) {
        self.bytes = bytes
        self.depth = depth
        self.elements = elements
    }

    /// For a state, an event, an entry of the registry or a request: 64 KiB, 4096 values.
    public static let payload = JSONLimits(bytes: 1 << 16, elements: 4096)
    /// For a manifest or a response with a list: 1 MiB, 65,536 values.
    public static let list = JSONLimits(bytes: 1 << 20, elements: 1 << 16)
    /// For a file that the program wrote itself, which must always be readable: 1 GiB, any number of values.
    public static let ownFile = JSONLimits(bytes: 1 << 30, elements: .max)
}
