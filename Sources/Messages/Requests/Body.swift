import Beacons

/// The members of a JSON object: a payload, a request, a response, or an element of a list in one of them.
public protocol Members: Hashable, Sendable {
    /// Writes the members in the order of the reference, without unknown values.
    func writeFields(to json: inout JSONWriter)

    /// Reads the members; throws at the first invalid one.
    init(reading fields: inout Fields) throws(PayloadRefusal)

    func write(to json: inout JSONWriter)
}

extension Members {
    /// Writes an object with the members alone.
    public func write(to json: inout JSONWriter) { json.object(writeFields) }
}

/// The members of a request or a response without those of the envelope. Both are members of the same object.
public protocol Body: Members {}

extension Body {
    /// Reads a request as people write it: a member that the request does not have is refused. `v` and `transaction` belong to every request.
    public init(requestedBy object: JSONObject) throws(PayloadRefusal) {
        var fields = Fields(object, isStrict: true)
        try fields.checkVersion()
        _ = fields.value("transaction")
        self = try Self(reading: &fields)
        try fields.refuseOthers()
    }
}

extension JSONWriter {
    /// Writes a member that is an object.
    public mutating func object(_ key: StaticString, _ value: (some Members)?) {
        guard let value else { return }
        self.key(key)
        value.write(to: &self)
    }

    /// Writes a member that is an array of objects.
    public mutating func array(_ key: StaticString, _ values: some Sequence<some Members>) {
        array(key) { json in for value in values { value.write(to: &json) } }
    }

    /// Writes a member that is an array of objects; `body` writes the members of each.
    package mutating func array<Elements: Sequence>(
        _ key: StaticString, of elements: Elements, _ body: (Elements.Element, inout JSONWriter) -> Void
    ) {
        array(key) { json in for element in elements { json.object { body(element, &$0) } } }
    }

    /// Writes the members `uuid`, `major` and `minor`.
    package mutating func fields(of beacon: BeaconIdentity) {
        field("uuid", beacon.uuid)
        field("major", beacon.major)
        field("minor", beacon.minor)
    }
}

extension Fields {
    /// The id that a request gives to what it adds, which may be no valid one; empty if it gives none.
    mutating func requestedID() throws(PayloadRefusal) -> String {
        guard let id = try optionalText("id") else { return "" }
        guard !id.isEmpty else { throw .malformed("id") }
        return id
    }

    /// An optional object.
    public mutating func optionalEntry<Entry: Members>(_ key: String) throws(PayloadRefusal) -> Entry? {
        guard let object = try optionalObject(key) else { return nil }
        var fields = Fields(object, isStrict: isStrict)
        return try Entry(reading: &fields)
    }

    /// A required object.
    public mutating func entry<Entry: Members>(_ key: String) throws(PayloadRefusal) -> Entry {
        guard let entry: Entry = try optionalEntry(key) else { throw .missing(key) }
        return entry
    }

    /// An optional array of objects.
    package mutating func optionalEntries<Entry: Members>(
        _ key: String, limit: Int
    ) throws(PayloadRefusal) -> [Entry]? {
        value(key) == nil ? nil : try entries(key, limit: limit)
    }

    /// A required array of objects; an array longer than `limit` is out of range.
    public mutating func entries<Entry: Members>(_ key: String, limit: Int) throws(PayloadRefusal) -> [Entry] {
        try array(key, limit: limit) { (value) throws(PayloadRefusal) in
            var fields = try Fields(value, of: key)
            return try Entry(reading: &fields)
        }
    }
}
