import Beacons

extension JSONWriter {
    /// Writes a member that is an object; `body` writes the members of that object.
    @inline(__always)
    public mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    /// Writes a member that is an array; `body` writes its elements.
    @inline(__always)
    public mutating func array(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    /// Writes a member that is text.
    public mutating func field(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        self.key(key)
        quoted(text)
    }

    /// Writes a member that is a whole number, clamped to 64 bits.
    public mutating func field(_ key: StaticString, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        self.key(key)
        digits(of: Int64(clamping: number))
    }

    /// Writes a member that is a number with 1 to `decimals` decimals, in the format of `element(_:decimals:)`.
    public mutating func field(_ key: StaticString, _ number: Double?, decimals: Int) {
        guard let number, number.isFinite else { return }
        self.key(key)
        decimal(number, decimals)
    }

    /// Writes a member that is true or false.
    public mutating func field(_ key: StaticString, _ truth: Bool?) {
        guard let truth else { return }
        self.key(key)
        append(truth ? "true" : "false")
    }

    /// Writes a member that is a time in RFC 3339.
    public mutating func field(_ key: StaticString, _ time: WallTime?) {
        guard let time else { return }
        self.key(key)
        quoted(length: WallTime.textLength) { time.write(to: $0) }
    }

    /// Writes a member that is a UUID, in lower case.
    public mutating func field(_ key: StaticString, _ uuid: BeaconUUID) {
        self.key(key)
        quoted(length: BeaconUUID.textLength) { uuid.write(to: $0) }
    }

    /// Writes a member that is an array of texts; an empty array becomes `[]`.
    public mutating func field(_ key: StaticString, _ texts: [String]?) {
        guard let texts else { return }
        array(key) { json in for text in texts { json.element(text) } }
    }

    /// Writes a member whose value comes from another document.
    public mutating func field(_ key: StaticString, _ value: JSONValue?) {
        guard let value else { return }
        self.key(key)
        element(value)
    }
}
