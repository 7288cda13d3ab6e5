/// An iterator over the AD structures of one advertisement's data, of known and unknown types.
///
/// The iterator stores positions only, because a span cannot be stored: pass the same data to each call of `next`.
public struct ADStructures: Sendable {
    /// The offset of the next structure.
    @usableFromInline var position = 0
    @usableFromInline var metCut = false

    /// Creates an iterator at the beginning of the data.
    @inlinable
    public init() {}

    /// Whether the iteration ended at a structure whose length exceeds the data. The structures before that structure
    /// are valid.
    @inlinable
    public var isCut: Bool { metCut }

    /// Returns the next structure in `data`, or `nil` at the end of the iteration.
    ///
    /// The iteration ends at the end of the data, at a length of zero (early termination: the rest is padding) and
    /// where `isCut` becomes true.
    @inlinable
    public mutating func next(in data: RawSpan) -> ADStructure? {
        guard position < data.byteCount else { return nil }
        let length = Int(data.byte(at: position))
        guard length > 0 else {
            position = data.byteCount
            return nil
        }
        let end = position + 1 + length
        guard end <= data.byteCount else {
            position = data.byteCount
            metCut = true
            return nil
        }
        defer { position = end }
        return ADStructure(type: data.byte(at: position + 1), content: position + 2..<end)
    }
}
