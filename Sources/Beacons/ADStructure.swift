/// One of the structures that an advertisement's data is made of (Core 5.4, Vol 3, C 11): its type, and where its content lies.
///
///       0        1     2 ... n
///     +--------+------+---------+
///     | n      | type | content |     n counts the type and the content
///     +--------+------+---------+
public struct ADStructure: Hashable, Sendable {
    /// What the content is; `ADType` has those that are read here.
    public var type: UInt8
    /// Where in the advertisement's data the content lies; may be empty.
    public var content: Range<Int>

    /// A structure with all its properties.
    @inlinable
    public init(type: UInt8, content: Range<Int>) {
        self.type = type
        self.content = content
    }
}
