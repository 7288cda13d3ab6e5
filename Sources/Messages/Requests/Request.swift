/// The payload of a `request` topic. A payload that does not begin with `{` counts as `{}`: buttons send such texts. One that begins so and
/// cannot be read is refused, because it was meant to restrict or describe what is requested.
///
/// Receivers must ignore retained requests; this type does not know whether a message is retained.
package struct Request: Hashable, Sendable {
    /// A value of the requester that the response repeats, as it was sent.
    package let transaction: JSONValue?
    /// All members of the payload; none if it is refused.
    package let arguments: JSONObject
    /// Why nothing may be done; `nil`: the payload can be read.
    package let refusal: PayloadRefusal?

    package init(parsing payload: [UInt8]) {
        // Editors of some systems write a byte order mark (RFC 8259, 8.1).
        let bytes = payload.starts(with: "\u{FEFF}".utf8) ? Array(payload.dropFirst(3)) : payload
        let isObject = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
        transaction = isObject ? JSONValue(sourceOf: "transaction", in: bytes) : nil
        do throws(PayloadRefusal) {
            arguments = isObject ? try Self.members(of: bytes) : JSONObject()
            refusal = nil
        } catch {
            arguments = JSONObject()
            refusal = error
        }
    }

    private static func members(of bytes: [UInt8]) throws(PayloadRefusal) -> JSONObject {
        let object: JSONObject
        do { object = try JSONValue(parsing: bytes).object ?? JSONObject() } catch { throw .json(error) }
        var fields = Fields(object)
        try fields.checkVersion()
        return object
    }

    /// Reads the body of the request. If `body` throws, the refusal becomes the `error` of the response.
    package func body<Asked: Body>(_ type: Asked.Type = Asked.self) throws(PayloadRefusal) -> Asked {
        if let refusal { throw refusal }
        var fields = Fields(arguments)
        return try Asked(reading: &fields)
    }

    package static func bytes(of body: some Body = Nothing(), transaction: JSONValue? = nil) -> [UInt8] {
        jsonObject { json in
            body.writeFields(to: &json)
            json.field("transaction", transaction)
        }
    }
}
