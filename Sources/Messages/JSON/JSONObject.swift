/// The members of a JSON object in the order in which they were written; no key stands twice.
public struct JSONObject: Hashable, Sendable {
    /// One key with its value.
    public struct Member: Hashable, Sendable {
        /// Its key.
        public var key: String
        /// Its value.
        public var value: JSONValue

        /// A key with its value.
        @inlinable
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The members in their order.
    public private(set) var members: [Member]

    /// Nothing: what a request without payload says.
    public init() { members = [] }

    /// Trusts the reader that no key stands twice.
    init(distinct members: [Member]) { self.members = members }

    /// The value of `key`, by looking at one member after the other: objects are small here.
    public subscript(key: String) -> JSONValue? {
        members.first { $0.key == key }?.value
    }
}
