import Messages

/// A finding of `doctor` about one requirement of a program.
package struct Finding: Hashable, Sendable {
    /// The result of a check.
    package enum Verdict: Hashable, Sendable {
        case passed
        /// The check failed; the sentence contains the remedy.
        case failed
        /// The check does not apply or could not be made; the sentence contains the reason.
        case skipped
    }

    /// The checked subject in a word or two, such as `adapter`.
    package var subject: String
    package var verdict: Verdict
    /// The result in a sentence and, if the check failed, the remedy.
    package var sentence: String

    package init(_ subject: String, _ verdict: Verdict, _ sentence: String) {
        self.subject = subject
        self.verdict = verdict
        self.sentence = sentence
    }

    /// Writes the finding as an object; `ok` is absent if the check is open.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("check", subject)
            switch verdict {
            case .passed: json.field("ok", true)
            case .failed: json.field("ok", false)
            case .skipped: break
            }
            json.field("text", sentence)
        }
    }
}
