/// The payload of a `response` topic: the result of a request, or the reason for its failure.
package struct Response<Value: Body>: Payload {
    package enum Outcome: Hashable, Sendable {
        /// The request succeeded: `"ok":true`.
        case done(Value)
        /// The request failed for this reason, one sentence: `"ok":false`.
        case failed(String)
    }

    package var outcome: Outcome
    /// The value that the request contained for the response.
    package var transaction: JSONValue?

    package init(_ outcome: Outcome, transaction: JSONValue? = nil) {
        self.outcome = outcome
        self.transaction = transaction
    }

    /// The limits of a list, because many responses are lists.
    package static var limits: JSONLimits { .list }

    package func writeFields(to json: inout JSONWriter) {
        switch outcome {
        case .done(let response):
            json.field("ok", true)
            response.writeFields(to: &json)
        case .failed(let error):
            json.field("ok", false)
            json.field("error", error)
        }
        json.field("transaction", transaction)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let isDone = try fields.optionalBool("ok") else { throw .missing("ok") }
        outcome = isDone ? .done(try Value(reading: &fields)) : .failed(try fields.text("error"))
        transaction = fields.value("transaction")
    }
}
