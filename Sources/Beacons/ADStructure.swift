/// One AD structure of an advertisement's data (Core 5.4, Vol 3, C 11): its type and the range of its content.
///
///       0        1     2 ... n
///     +--------+------+---------+
///     | n      | type | content |     n counts the type and the content
///     +--------+------+---------+
public struct ADStructure: Hashable, Sendable {
    /// The type of the content; `ADType` names the types that this project reads and writes.
    public var type: UInt8
    /// The range of the content within the advertisement's data; it may be empty.
    public var content: Range<Int>

    /// Creates a structure from a type and a range.
    @inlinable
    public init(type: UInt8, content: Range<Int>) {
        self.type = type
        self.content = content
    }
}
