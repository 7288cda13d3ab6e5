/// The members of a JSON object in the order of the document; keys are unique.
public struct JSONObject: Hashable, Sendable {
    /// One key with its value.
    public struct Member: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The value.
        public var value: JSONValue

        /// Creates a member from a key and a value.
        @inlinable
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The members in their order.
    public private(set) var members: [Member]

    /// Creates an object without members, as for a request without a payload.
    public init() { members = [] }

    /// Creates an object from members whose keys the caller knows to be unique.
    init(distinct members: [Member]) { self.members = members }

    /// The value of `key`. The subscript searches the members linearly, because the objects of this project are small.
    public subscript(key: String) -> JSONValue? {
        members.first { $0.key == key }?.value
    }

    /// Sets the value of `key` in place, or appends the member; `nil` removes the key.
    public mutating func set(_ key: String, to value: JSONValue?) {
        switch (members.firstIndex { $0.key == key }, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(key: key, value: value))
        case (nil, nil): break
        }
    }

    /// Returns the object with a merge patch applied (RFC 7396): objects are merged, `null` removes a key, any other
    /// value replaces the old one.
    public func merged(with patch: JSONObject) -> JSONObject {
        var result = self
        for change in patch.members {
            switch change.value {
            case .null: result.set(change.key, to: nil)
            case .object(let inner):
                result.set(change.key, to: .object((result[change.key]?.object ?? JSONObject()).merged(with: inner)))
            default: result.set(change.key, to: change.value)
            }
        }
        return result
    }
}
