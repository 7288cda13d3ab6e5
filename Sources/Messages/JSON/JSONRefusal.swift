/// Why bytes were refused as JSON; the raw value is the name under which it is counted.
public enum JSONRefusal: String, Error, Sendable, CaseIterable {
    /// Longer than the limit.
    case tooLarge = "too_large"
    /// Deeper than the limit.
    case tooDeep = "too_deep"
    /// More values than the limit.
    case tooManyElements = "too_many_elements"
    /// It ends before the value does; no bytes at all are that, too.
    case truncated = "truncated"
    /// A byte that may not stand where it stands.
    case syntax = "not_json"
    /// Something other than blanks after the value.
    case trailing = "trailing_bytes"
    /// A string that is not UTF-8, or has half a surrogate pair.
    case invalidText = "invalid_text"
    /// A number beyond the range of `Double`, or of more than 100 characters.
    case invalidNumber = "number_out_of_range"
    /// An object that says one key twice: which of the two its writer meant cannot be known.
    case duplicateKey = "duplicate_key"
}
