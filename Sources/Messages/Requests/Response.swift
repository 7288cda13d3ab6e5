/// What stands in a `response` topic: that it was done, and what was asked for, or why not.
public struct Response<Answer: Body>: Payload {
    /// What became of the request.
    public enum Outcome: Hashable, Sendable {
        /// It was done: `"ok":true`.
        case done(Answer)
        /// It was not, for this reason, one sentence: `"ok":false`.
        case failed(String)
    }

    /// What became of the request.
    public var outcome: Outcome
    /// What the asker wanted to get back.
    public var transaction: JSONValue?

    /// An answer to the request that said `transaction`.
    public init(_ outcome: Outcome, transaction: JSONValue? = nil) {
        self.outcome = outcome
        self.transaction = transaction
    }

    /// It lists things: `JSONLimits.list`.
    public static var limits: JSONLimits { .list }

    /// Writes the keys in the order of the reference's page GatewayRequests.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            switch outcome {
            case .done(let answer):
                json.field("ok", true)
                answer.writeFields(to: &json)
            case .failed(let error):
                json.field("ok", false)
                json.field("error", error)
            }
            json.field("transaction", transaction)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let isDone = try fields.optionalBool("ok") else { throw .missing("ok") }
        outcome = isDone ? .done(try Answer(reading: &fields)) : .failed(try fields.text("error"))
        transaction = fields.value("transaction")
    }
}
