/// A JSON object that is published on a topic. One file per payload both writes and reads its keys.
public protocol Payload: Members {
    /// How many seconds the payload is valid, which is also the broker's expiry; `nil`: until the next payload.
    var validForSeconds: UInt32? { get }

    /// The limits of a document with this payload.
    static var limits: JSONLimits { get }
}

extension Payload {
    /// Writes the object, which begins with `"v":1`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("v", 1)
            writeFields(to: &json)
        }
    }

    /// The payload is valid until the next one.
    public var validForSeconds: UInt32? { nil }

    /// `JSONLimits.payload`.
    public static var limits: JSONLimits { .payload }

    /// Reads a payload; `v` must be 1 or absent. If the payload contradicts `topic`, it is refused, so that no gateway
    /// can publish for another.
    public init(parsing bytes: [UInt8], on topic: Topic? = nil) throws(PayloadRefusal) {
        try self.init(document: bytes, on: topic)
    }

    /// Reads a payload in any form that JSON permits.
    init(document bytes: [UInt8], on topic: Topic?) throws(PayloadRefusal) {
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes, limits: Self.limits) } catch { throw .json(error) }
        guard let object = value.object else { throw .notAnObject }
        var fields = Fields(object)
        try fields.checkVersion()
        try self.init(reading: &fields)
        if let key = topic?.contradiction(with: object) { throw .contradiction(key) }
    }

    /// The payload in a new buffer. For frequent messages, use `write(to:)` with a buffer that is reused.
    public var bytes: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}
