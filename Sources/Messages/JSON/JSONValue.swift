/// One value of a JSON document (RFC 8259).
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits; it is exact.
    case integer(Int64)
    /// Any other number; it is finite.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
    /// The text of any value, which is written as it is. The reader of documents does not return it.
    case source(String)

    /// The number; `nil` for other values.
    @inlinable
    public var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    /// The number, if it is integral and fits 64 bits in any notation: 9, 9.0 and 9e0 are equal.
    @inlinable
    public var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .double(let double): Int64(exactly: double)
        default: nil
        }
    }

    /// The text; `nil` for other values.
    @inlinable
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The value of `true` or `false`; `nil` for other values.
    @inlinable
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements of an array; `nil` for other values.
    @inlinable
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; `nil` for other values.
    @inlinable
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }
}
