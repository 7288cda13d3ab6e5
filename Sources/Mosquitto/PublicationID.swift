/// Names one accepted publication for as long as its connection object lives; later ones are greater.
public struct PublicationID: Hashable, Comparable, Sendable {
    let number: UInt64

    /// The one accepted earlier is the smaller.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
