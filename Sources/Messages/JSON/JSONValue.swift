/// One value of a JSON document (RFC 8259).
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits: exact.
    case integer(Int64)
    /// Any other number: finite.
    case double(Double)
    /// Text.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// The number, where it is one.
    @inlinable
    public var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    /// The number, where it is a whole one of 64 bits, however it was written: 9, 9.0 and 9e0 are the same.
    @inlinable
    public var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .double(let double): Int64(exactly: double)
        default: nil
        }
    }

    /// The text, where it is text.
    @inlinable
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The truth, where it is `true` or `false`.
    @inlinable
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements, where it is an array.
    @inlinable
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, where it is an object.
    @inlinable
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }
}
