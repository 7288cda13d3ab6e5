import Beacons

extension JSONWriter {
    /// A member that is an object, whose members `body` writes.
    @inline(__always)
    public mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    /// A member that is an array, whose elements `body` writes.
    @inline(__always)
    public mutating func array(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    /// A member that is text.
    public mutating func field(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        self.key(key)
        quoted(text)
    }

    /// A member that is a whole number; beyond 64 bits it is the range's end.
    public mutating func field(_ key: StaticString, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        self.key(key)
        digits(of: Int64(clamping: number))
    }

    /// A member that is a number with at least one decimal and at most `decimals`, as `element(_:decimals:)` writes it.
    public mutating func field(_ key: StaticString, _ number: Double?, decimals: Int) {
        guard let number, number.isFinite else { return }
        self.key(key)
        decimal(number, decimals)
    }

    /// A member that is true or false.
    public mutating func field(_ key: StaticString, _ truth: Bool?) {
        guard let truth else { return }
        self.key(key)
        append(truth ? "true" : "false")
    }

    /// A member that is a moment, as RFC 3339 writes it.
    public mutating func field(_ key: StaticString, _ time: WallTime?) {
        field(key, time?.description)
    }

    /// A member that is a UUID, in lower case.
    public mutating func field(_ key: StaticString, _ uuid: BeaconUUID) {
        field(key, uuid.description)
    }

    /// A member that is an array of texts; empty, it is `[]`.
    public mutating func field(_ key: StaticString, _ texts: [String]?) {
        guard let texts else { return }
        array(key) { json in for text in texts { json.element(text) } }
    }

    /// A member that was read from elsewhere.
    public mutating func field(_ key: StaticString, _ value: JSONValue?) {
        guard let value else { return }
        self.key(key)
        element(value)
    }
}
