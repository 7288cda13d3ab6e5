public import Messages

/// What `doctor` has found of one thing that a program needs.
public struct Finding: Hashable, Sendable {
    /// How it is.
    public enum Verdict: Hashable, Sendable {
        /// As it has to be.
        case right
        /// Not so: the sentence says what to do.
        case wrong
        /// There is nothing to find, or it could not be looked at: the sentence says why.
        case open
    }

    /// What was looked at, in a word or two: `adapter`.
    public var thing: String
    /// How it is.
    public var verdict: Verdict
    /// What was found and, where it is wrong, what to do.
    public var sentence: String

    /// Creates a finding from all its properties.
    public init(_ thing: String, _ verdict: Verdict, _ sentence: String) {
        self.thing = thing
        self.verdict = verdict
        self.sentence = sentence
    }

    /// Writes it as one object; `ok` is absent where it is open.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("check", thing)
            switch verdict {
            case .right: json.field("ok", true)
            case .wrong: json.field("ok", false)
            case .open: break
            }
            json.field("text", sentence)
        }
    }
}
