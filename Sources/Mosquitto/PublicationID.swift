/// The id of an accepted publication, unique for the lifetime of its connection object. Later ids are greater.
public struct PublicationID: Hashable, Comparable, Sendable {
    /// The number, counted from the connection object's first publication.
    public let number: UInt64

    /// Orders ids by acceptance.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
