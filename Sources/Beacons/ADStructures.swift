/// A walk over the AD structures of one advertisement's data, whatever they are.
///
/// It holds positions only, as a span cannot be kept: pass the same data at each step.
public struct ADStructures: Sendable {
    /// Where the next structure begins.
    @usableFromInline var position = 0
    @usableFromInline var metCut = false

    /// A walk that has not begun.
    @inlinable
    public init() {}

    /// Whether it ended at a structure whose length runs past the data's end; what stood before that one is good.
    @inlinable
    public var isCut: Bool { metCut }

    /// The next structure in `data`; `nil` at the end, at a length of zero (early termination: the rest is padding), and where `isCut`.
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
