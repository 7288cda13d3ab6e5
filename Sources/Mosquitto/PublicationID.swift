/// The id of an accepted publication, unique for the lifetime of its connection object. Later ids are greater.
package struct PublicationID: Hashable, Comparable, Sendable {
    /// The number, counted from the connection object's first publication.
    package let number: UInt64

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
