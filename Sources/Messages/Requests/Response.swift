/// The payload of a `response` topic: the result of a request, or the reason for its failure.
public struct Response<Value: Body>: Payload {
    /// The outcome of a request.
    public enum Outcome: Hashable, Sendable {
        /// The request succeeded: `"ok":true`.
        case done(Value)
        /// The request failed for this reason, one sentence: `"ok":false`.
        case failed(String)
    }

    /// The outcome of the request.
    public var outcome: Outcome
    /// The value that the request contained for the response.
    public var transaction: JSONValue?

    /// Creates the response to the request with `transaction`.
    public init(_ outcome: Outcome, transaction: JSONValue? = nil) {
        self.outcome = outcome
        self.transaction = transaction
    }

    /// The limits of a list, because many responses are lists.
    public static var limits: JSONLimits { .list }

    /// Writes the keys in the order of the reference's page GatewayRequests.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
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
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let isDone = try fields.optionalBool("ok") else { throw .missing("ok") }
        outcome = isDone ? .done(try Value(reading: &fields)) : .failed(try fields.text("error"))
        transaction = fields.value("transaction")
    }
}
