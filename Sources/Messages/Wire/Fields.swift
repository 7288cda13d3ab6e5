import Beacons

/// The members of a payload's object, taken by key with their type and range checked. Keys that nobody asks for are ignored.
///
/// It goes round: each search begins behind the last member found, so that a payload in the reference's order is read in one pass.
public struct Fields: Sendable {
    private let members: [JSONObject.Member]
    private var next = 0

    /// The longest text, in bytes of UTF-8: writers whose names or sentences are longer are not read.
    public static let longestText = 4096
    /// What a counter or a gauge may say: what JSON carries exactly everywhere.
    public static let counts: ClosedRange<UInt64> = 0...(1 << 53)
    /// The same for what is kept as `Int`.
    public static let gauges: ClosedRange<Int> = 0...(1 << 53)
    /// Distances and other amounts of which only the sign is sure: the writer writes no larger ones.
    public static let amounts: ClosedRange<Double> = 0...1e15
    /// The longest time since boot, in milliseconds: a century. Reckoning with what is read cannot overflow.
    static let uptimes: ClosedRange<UInt64> = 0...3_155_760_000_000

    /// The members of `object`.
    public init(_ object: JSONObject) {
        members = object.members
    }

    /// The members of an element that has to be an object; `key` is the array's.
    public init(_ element: JSONValue, of key: String) throws(PayloadRefusal) {
        guard let object = element.object else { throw .wrongType(key) }
        self.init(object)
    }

    // MARK: Any value

    /// All of them, as they were written.
    var object: JSONObject { JSONObject(distinct: members) }

    /// The value of `key`, whatever it is; `null` is as good as absent.
    public mutating func value(_ key: String) -> JSONValue? {
        for _ in members.indices {
            let member = next
            next = next + 1 == members.count ? 0 : next + 1
            if members[member].key == key { return members[member].value == .null ? nil : members[member].value }
        }
        return nil
    }

    /// Refuses what was written for other readers: `v` is 1 or absent.
    mutating func checkVersion() throws(PayloadRefusal) {
        if let version = value("v"), version.integer != 1 { throw .version }
    }

    private mutating func convert<Value>(
        _ key: String, _ conversion: (JSONValue) -> Value?
    ) throws(PayloadRefusal) -> Value? {
        guard let value = value(key) else { return nil }
        guard let converted = conversion(value) else { throw .wrongType(key) }
        return converted
    }

    /// The value of `key` if it is there; refuses the payload if not.
    private func require<Value>(_ key: String, _ value: Value?) throws(PayloadRefusal) -> Value {
        guard let value else { throw .missing(key) }
        return value
    }

    // MARK: Text

    /// Text that need not be there, of at most `longestText` bytes.
    public mutating func optionalText(_ key: String) throws(PayloadRefusal) -> String? {
        guard let text = try convert(key, { $0.string }) else { return nil }
        guard text.utf8.count <= Self.longestText else { throw .outOfRange(key) }
        return text
    }

    /// Text of at most `longestText` bytes.
    public mutating func text(_ key: String) throws(PayloadRefusal) -> String {
        try require(key, try optionalText(key))
    }

    /// Something written as text that need not be there, read by `parse`, which gives `nil` for what has not its form.
    public mutating func optionalParsed<Value>(
        _ key: String, _ parse: (String) -> Value?
    ) throws(PayloadRefusal) -> Value? {
        guard let text = try optionalText(key) else { return nil }
        guard let value = parse(text) else { throw .malformed(key) }
        return value
    }

    /// Something written as text, read by `parse`, which gives `nil` for what has not its form.
    public mutating func parsed<Value>(_ key: String, _ parse: (String) -> Value?) throws(PayloadRefusal) -> Value {
        try require(key, try optionalParsed(key, parse))
    }

    /// One of the words of `Word`.
    public mutating func word<Word: RawRepresentable<String>>(_ key: String) throws(PayloadRefusal) -> Word {
        try parsed(key, Word.init(rawValue:))
    }

    /// An id (`isValidID`).
    public mutating func id(_ key: String) throws(PayloadRefusal) -> String {
        try parsed(key) { isValidID($0) ? $0 : nil }
    }

    /// A UUID, of either case, with hyphens or without.
    public mutating func uuid(_ key: String) throws(PayloadRefusal) -> BeaconUUID {
        try parsed(key) { BeaconUUID(written: $0) }
    }

    /// A moment as RFC 3339 writes it.
    public mutating func time(_ key: String) throws(PayloadRefusal) -> WallTime {
        try parsed(key, WallTime.init)
    }

    /// A moment that need not be there.
    public mutating func optionalTime(_ key: String) throws(PayloadRefusal) -> WallTime? {
        try optionalParsed(key, WallTime.init)
    }

    /// A boot.
    public mutating func boot(_ key: String) throws(PayloadRefusal) -> Boot {
        try parsed(key) { Boot($0) }
    }

    // MARK: Numbers and truths

    /// A number in `range` that need not be there.
    public mutating func optionalNumber(
        _ key: String, in range: ClosedRange<Double>
    ) throws(PayloadRefusal) -> Double? {
        guard let number = try convert(key, { $0.double }) else { return nil }
        guard range.contains(number) else { throw .outOfRange(key) }
        return number
    }

    /// A number in `range`.
    public mutating func number(_ key: String, in range: ClosedRange<Double>) throws(PayloadRefusal) -> Double {
        try require(key, try optionalNumber(key, in: range))
    }

    /// A whole number in `range` that need not be there; one with a fraction is of the wrong type.
    public mutating func optionalCount<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) throws(PayloadRefusal) -> Number? {
        guard let value = value(key) else { return nil }
        guard let integer = value.integer else {
            // A whole number beyond 64 bits is a number, and out of every range.
            guard let double = value.double, double.rounded() == double else { throw .wrongType(key) }
            throw .outOfRange(key)
        }
        guard let number = Number(exactly: integer), range.contains(number) else { throw .outOfRange(key) }
        return number
    }

    /// A whole number in `range`; one with a fraction is of the wrong type.
    public mutating func count<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) throws(PayloadRefusal) -> Number {
        try require(key, try optionalCount(key, in: range))
    }

    /// True or false, where it is there.
    public mutating func optionalBool(_ key: String) throws(PayloadRefusal) -> Bool? {
        try convert(key, { $0.bool })
    }

    /// The time since a boot began: `uptime_ms`, at most a century.
    mutating func uptime() throws(PayloadRefusal) -> Instant {
        Instant(milliseconds: Int64(try count("uptime_ms", in: Self.uptimes)))
    }

    // MARK: Arrays and objects

    /// An object that need not be there.
    public mutating func optionalObject(_ key: String) throws(PayloadRefusal) -> JSONObject? {
        try convert(key, { $0.object })
    }

    /// An array whose elements `read` reads. Longer than `limit`, it is out of range.
    public mutating func array<Element>(
        _ key: String, limit: Int, _ read: (JSONValue) throws(PayloadRefusal) -> Element
    ) throws(PayloadRefusal) -> [Element] {
        let values = try require(key, try convert(key, { $0.array }))
        guard values.count <= limit else { throw .outOfRange(key) }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for value in values { elements.append(try read(value)) }
        return elements
    }

    /// An array of ids.
    public mutating func ids(_ key: String, limit: Int) throws(PayloadRefusal) -> [String] {
        try array(key, limit: limit) { (value) throws(PayloadRefusal) in
            guard let id = value.string else { throw .wrongType(key) }
            guard isValidID(id) else { throw .malformed(key) }
            return id
        }
    }

    /// An array of texts of at most `longestText` bytes.
    public mutating func texts(_ key: String, limit: Int) throws(PayloadRefusal) -> [String] {
        try array(key, limit: limit) { (value) throws(PayloadRefusal) in
            guard let text = value.string else { throw .wrongType(key) }
            guard text.utf8.count <= Self.longestText else { throw .outOfRange(key) }
            return text
        }
    }
}
