/// The payload of a `request` topic. An empty payload and any payload that is no JSON object count as `{}`.
///
/// Receivers must ignore retained requests; this type does not know whether a message is retained.
package struct Request: Hashable, Sendable {
    /// A value of the requester that the response repeats.
    package let transaction: JSONValue?
    /// All members of the payload.
    package let arguments: JSONObject

    package init(parsing bytes: [UInt8]) {
        arguments = (try? JSONValue(parsing: bytes))?.object ?? JSONObject()
        var fields = Fields(arguments)
        transaction = fields.value("transaction")
    }

    /// Reads the body of the request. If `body` throws, the refusal becomes the `error` of the response.
    package func body<Asked: Body>(_ type: Asked.Type = Asked.self) throws(PayloadRefusal) -> Asked {
        var fields = Fields(arguments)
        return try Asked(reading: &fields)
    }

    /// The payload of a request with `body`.
    package static func bytes(of body: some Body = Nothing(), transaction: JSONValue? = nil) -> [UInt8] {
        jsonObject { json in
            body.writeFields(to: &json)
            json.field("transaction", transaction)
        }
    }
}
