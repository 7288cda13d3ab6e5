/// What stands in a topic as a JSON object: each key is written and read in the one file of its payload.
public protocol Payload: Hashable, Sendable {
    /// Writes the whole object: the keys in the order of the reference's page, unknown values left out.
    func write(to json: inout JSONWriter)

    /// Takes what it needs from an object, and refuses the whole for one key that is not as agreed.
    init(reading fields: inout Fields) throws(PayloadRefusal)

    /// For how long it holds, in seconds, and so how long a broker keeps it; `nil`: until something else is said.
    var validForSeconds: UInt32? { get }

    /// How much of it is read before it is refused.
    static var limits: JSONLimits { get }

    /// The first key that says something else than `topic` does; `nil` if none, or if it is no topic of such a payload.
    func contradiction(with topic: Topic) -> String?
}

extension Payload {
    /// Until something else is said.
    public var validForSeconds: UInt32? { nil }

    /// `JSONLimits.payload`.
    public static var limits: JSONLimits { .payload }

    /// Nothing that a topic says, too.
    public func contradiction(with topic: Topic) -> String? { nil }

    /// Reads a payload; `v` is 1 or absent. With a `topic`, one that says something else is refused: nobody speaks for another.
    public init(parsing bytes: [UInt8], on topic: Topic? = nil) throws(PayloadRefusal) {
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes, limits: Self.limits) } catch { throw .json(error) }
        guard let object = value.object else { throw .notAnObject }
        var fields = Fields(object)
        try fields.checkVersion()
        try self.init(reading: &fields)
        if let topic, let key = contradiction(with: topic) { throw .contradiction(key) }
    }

    /// It as bytes of its own; what is sent often is written into a buffer that is used again.
    public var bytes: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}

extension JSONWriter {
    /// An object with `"v":1` first: a payload.
    @inline(__always)
    mutating func payload(_ body: (inout JSONWriter) -> Void) {
        object { json in
            json.field("v", 1)
            body(&json)
        }
    }
}
