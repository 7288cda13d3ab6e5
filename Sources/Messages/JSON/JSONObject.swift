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

    /// Gives `key` a value, in the place of the one that it had, or last; `nil` takes the key away.
    public mutating func set(_ key: String, to value: JSONValue?) {
        switch (members.firstIndex { $0.key == key }, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(Member(key: key, value: value))
        case (nil, nil): break
        }
    }

    /// It with the changes of a merge patch (RFC 7396): objects are merged, `null` takes a key away, anything else replaces what was there.
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
