/// How much of a document a reader takes before it refuses the whole.
public struct JSONLimits: Hashable, Sendable {
    /// The document's length in bytes.
    public var bytes: Int
    /// How deep arrays and objects stand in each other; `[]` is 1. The reader recurses so deep, so keep it small.
    public var depth: Int
    /// Values in all: members, elements, and the document itself.
    public var elements: Int

    /// Limits with all their properties.
    public init(bytes: Int, depth: Int = 16, elements: Int) {
        self.bytes = bytes
        self.depth = depth
        self.elements = elements
    }

    /// For a state, an event, an entry of the registry, a request: 64 KiB, 4096 values.
    public static let payload = JSONLimits(bytes: 1 << 16, elements: 4096)
    /// For what lists things, a manifest or an answer: 1 MiB, 65,536 values.
    public static let list = JSONLimits(bytes: 1 << 20, elements: 1 << 16)
    /// For a file that the program wrote itself: whatever was written can be read back. A gibibyte, any number of values.
    public static let ownFile = JSONLimits(bytes: 1 << 30, elements: .max)
}
