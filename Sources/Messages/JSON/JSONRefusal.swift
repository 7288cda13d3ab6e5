/// Why bytes were refused as JSON. The raw value is the name of the counter.
public enum JSONRefusal: String, Error, Sendable, CaseIterable {
    /// The document is longer than the limit.
    case tooLarge = "too_large"
    /// The document is nested deeper than the limit.
    case tooDeep = "too_deep"
    /// The document has more values than the limit.
    case tooManyElements = "too_many_elements"
    /// The document ends within a value, or is empty.
    case truncated = "truncated"
    /// A byte is not allowed at its position.
    case syntax = "not_json"
    /// Bytes other than blanks follow the value.
    case trailing = "trailing_bytes"
    /// A string is not UTF-8, or has half of a surrogate pair.
    case invalidText = "invalid_text"
    /// A number exceeds the range of `Double`, or has more than 100 characters.
    case invalidNumber = "number_out_of_range"
    /// An object repeats a key, so that its meaning is ambiguous.
    case duplicateKey = "duplicate_key"
}
