/// What stands in a `request` topic. Everything is a request: what is empty, or no JSON object, counts as `{}`.
///
/// A retained one is to be ignored; that is for whoever receives it to see.
public struct Request: Hashable, Sendable {
    /// What the asker wants to get back with the answer, whatever it is.
    public let transaction: JSONValue?
    /// All members.
    public let arguments: JSONObject

    /// Reads a payload.
    public init(parsing bytes: [UInt8]) {
        arguments = (try? JSONValue(parsing: bytes))?.object ?? JSONObject()
        var fields = Fields(arguments)
        transaction = fields.value("transaction")
    }

    /// What it asks with; what is refused goes back to the asker as the answer's `error`.
    public func body<Asked: Body>(_ type: Asked.Type = Asked.self) throws(PayloadRefusal) -> Asked {
        var fields = Fields(arguments)
        return try Asked(reading: &fields)
    }

    /// The payload that asks with `body`.
    public static func bytes(of body: some Body = Nothing(), transaction: JSONValue? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            body.writeFields(to: &json)
            json.field("transaction", transaction)
        }
        return json.bytes
    }
}
