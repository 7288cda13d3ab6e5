/// Why a payload was refused. A refused payload is counted under `name` and otherwise ignored.
public enum PayloadRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not JSON within the limits.
    case json(JSONRefusal)
    /// The JSON value is not an object.
    case notAnObject
    /// `v` is not 1: the payload is for other readers.
    case version
    /// A required key is missing.
    case missing(String)
    /// The value of the key has the wrong type.
    case wrongType(String)
    /// The value of the key is a number beyond its range, or a text or array beyond its limit.
    case outOfRange(String)
    /// The array of the key has more values than are read.
    case tooMany(String, most: Int)
    /// The value of the key is a text with an invalid form, or not one of the allowed words.
    case malformed(String)
    /// No reader knows the key, and people write the payload; `meant` is the key that was probably meant.
    case unknown(String, meant: String?)
    /// The value of the key contradicts the topic or another key.
    case contradiction(String)
    /// The keys are valid, and make no sense together, for the reason of this sentence.
    case senseless(String)

    /// The name of the counter, which is also published.
    public var name: String {
        switch self {
        case .json(let refusal): refusal.rawValue
        case .notAnObject: "not_an_object"
        case .version: "other_version"
        case .missing: "missing_key"
        case .wrongType: "wrong_type"
        case .outOfRange, .tooMany: "out_of_range"
        case .malformed: "malformed"
        case .unknown: "unknown_key"
        case .contradiction, .senseless: "contradiction"
        }
    }

    /// A sentence for a log or for the `error` of a response.
    public var description: String {
        switch self {
        case .json(.tooLarge): "The payload is too large."
        case .json(.tooDeep): "The payload is nested too deep."
        case .json(.tooManyElements): "The payload has too many values."
        case .json(.duplicateKey): "The payload has a key twice in one object."
        case .json(let refusal): "The payload is not JSON that can be read (\(refusal.rawValue))."
        case .notAnObject: "The payload is not a JSON object."
        case .version: "The payload's \"v\" is not 1."
        case .missing(let key): "\"\(key)\" is missing."
        case .wrongType(let key): "\"\(key)\" has the wrong type."
        case .outOfRange(let key): "\"\(key)\" is out of range."
        case .tooMany(let key, let most): "\"\(key)\" has more than \(most) values."
        case .malformed(let key): "\"\(key)\" has an invalid form."
        case .unknown(let key, let meant?): "\"\(key)\" is no key of this request: did you mean \"\(meant)\"?"
        case .unknown(let key, nil): "\"\(key)\" is no key of this request."
        case .contradiction(let key): "\"\(key)\" contradicts the topic or another key."
        case .senseless(let sentence): sentence
        }
    }
}
