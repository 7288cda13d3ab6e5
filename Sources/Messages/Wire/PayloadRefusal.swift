/// Why a payload was refused; it is counted under `name` and otherwise ignored.
public enum PayloadRefusal: Error, Hashable, Sendable {
    /// The bytes are no JSON that is read here.
    case json(JSONRefusal)
    /// JSON, but no object.
    case notAnObject
    /// A `v` that is not 1: written for other readers.
    case version
    /// A key that has to be there is not.
    case missing(String)
    /// The value of the key is of another kind than agreed.
    case wrongType(String)
    /// The value of the key is a number beyond its range, or a text or array longer than its limit.
    case outOfRange(String)
    /// The value of the key is text, but not of the form, or none of the words, that it has to be.
    case malformed(String)
    /// The value of the key says something else than the topic, or than another key.
    case contradiction(String)

    /// The word to count it under, and to publish the count under.
    public var name: String {
        switch self {
        case .json(let refusal): refusal.rawValue
        case .notAnObject: "not_an_object"
        case .version: "other_version"
        case .missing: "missing_key"
        case .wrongType: "wrong_type"
        case .outOfRange: "out_of_range"
        case .malformed: "malformed"
        case .contradiction: "contradiction"
        }
    }

    /// The key that is to blame, where it is one.
    public var key: String? {
        switch self {
        case .json, .notAnObject, .version: nil
        case .missing(let key), .wrongType(let key), .outOfRange(let key), .malformed(let key), .contradiction(let key):
            key
        }
    }
}

extension PayloadRefusal: CustomStringConvertible {
    /// A sentence for a log or for an answer's `error`.
    public var description: String {
        switch self {
        case .json(let refusal): "The payload is not JSON that is read here (\(refusal.rawValue))."
        case .notAnObject: "The payload is not a JSON object."
        case .version: "The payload's \"v\" is not 1."
        case .missing(let key): "\"\(key)\" is missing."
        case .wrongType(let key): "\"\(key)\" is of the wrong type."
        case .outOfRange(let key): "\"\(key)\" is out of range."
        case .malformed(let key): "\"\(key)\" is not of the form it must have."
        case .contradiction(let key): "\"\(key)\" contradicts what else is known of it."
        }
    }
}
