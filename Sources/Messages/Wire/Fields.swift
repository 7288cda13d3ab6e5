import Beacons

/// Reads the members of a payload's object by key, and checks their types and ranges. Unknown keys are ignored, because a later version may
/// write them, except in requests, which people write.
///
/// Each search begins behind the last member found and wraps around. A payload in the reference's order is so read in
/// one pass.
public struct Fields: Sendable {
    private let members: [JSONObject.Member]
    private var next = 0
    /// The keys that were read; `nil` if unknown keys are ignored.
    private var known: [String]?

    /// The longest accepted text, in bytes of UTF-8. A payload with a longer name or sentence is refused.
    public static let longestText = 4096
    /// The range of counters and gauges: the numbers that every JSON implementation represents exactly.
    public static let counts: ClosedRange<UInt64> = 0...(1 << 53)
    /// The same range for values that are stored as `Int`.
    public static let gauges: ClosedRange<Int> = 0...(1 << 53)
    /// The range of distances and other non-negative amounts; no publisher sends larger ones.
    public static let amounts: ClosedRange<Double> = 0...1e15
    /// The range of the time since the start of a process in milliseconds: a century. Arithmetic on such a time cannot
    /// overflow.
    static let uptimes: ClosedRange<UInt64> = 0...3_155_760_000_000

    /// Creates a reader of the members of `object`.
    ///
    /// - Parameter isStrict: whether `refuseOthers` refuses members that were not read.
    public init(_ object: JSONObject, isStrict: Bool = false) {
        members = object.members
        if isStrict { known = [] }
    }

    /// Creates a reader of an array's element, which must be an object; `key` is the key of the array.
    public init(_ element: JSONValue, of key: String) throws(PayloadRefusal) {
        guard let object = element.object else { throw .wrongType(key) }
        self.init(object)
    }

    /// Whether `refuseOthers` refuses members that were not read.
    var isStrict: Bool { known != nil }

    /// Refuses a member that was not read, if the reader is strict.
    func refuseOthers() throws(PayloadRefusal) {
        guard let known, let other = members.first(where: { !known.contains($0.key) }) else { return }
        throw .unknown(other.key, meant: nearest(to: other.key, among: known))
    }

    // MARK: Any value

    /// All members, as written.
    var object: JSONObject { JSONObject(distinct: members) }

    /// The value of `key` of any type; `nil` if it is absent or `null`.
    public mutating func value(_ key: String) -> JSONValue? {
        known?.append(key)
        for _ in members.indices {
            let member = next
            next = next + 1 == members.count ? 0 : next + 1
            if members[member].key == key { return members[member].value == .null ? nil : members[member].value }
        }
        return nil
    }

    /// Refuses a payload for other readers: `v` must be 1 or absent.
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

    /// Returns `value`; throws `missing` if it is absent, or names the member that was probably meant to be it.
    private func require<Value>(_ key: String, _ value: Value?) throws(PayloadRefusal) -> Value {
        guard let value else {
            let others = members.map(\.key).filter { $0 != key && known?.contains($0) == false }
            if let other = nearest(to: key, among: others) { throw .unknown(other, meant: key) }
            throw .missing(key)
        }
        return value
    }

    // MARK: Text

    /// Optional text of at most `longestText` bytes.
    public mutating func optionalText(_ key: String) throws(PayloadRefusal) -> String? {
        guard let text = try convert(key, { $0.string }) else { return nil }
        guard text.utf8.count <= Self.longestText else { throw .outOfRange(key) }
        return text
    }

    /// Required text of at most `longestText` bytes.
    public mutating func text(_ key: String) throws(PayloadRefusal) -> String {
        try require(key, try optionalText(key))
    }

    /// An optional value in textual form; `parse` returns `nil` for an invalid text.
    public mutating func optionalParsed<Value>(
        _ key: String, _ parse: (String) -> Value?
    ) throws(PayloadRefusal) -> Value? {
        guard let text = try optionalText(key) else { return nil }
        guard let value = parse(text) else { throw .malformed(key) }
        return value
    }

    /// A required value in textual form; `parse` returns `nil` for an invalid text.
    public mutating func parsed<Value>(_ key: String, _ parse: (String) -> Value?) throws(PayloadRefusal) -> Value {
        try require(key, try optionalParsed(key, parse))
    }

    /// A required word that is a raw value of `Word`.
    public mutating func word<Word: RawRepresentable<String>>(_ key: String) throws(PayloadRefusal) -> Word {
        try parsed(key, Word.init(rawValue:))
    }

    /// A required id that passes `isValidID`.
    public mutating func id(_ key: String) throws(PayloadRefusal) -> String {
        try parsed(key) { isValidID($0) ? $0 : nil }
    }

    /// A required UUID in either case, with or without hyphens.
    public mutating func uuid(_ key: String) throws(PayloadRefusal) -> BeaconUUID {
        try parsed(key) { BeaconUUID(written: $0) }
    }

    /// A required time in RFC 3339.
    public mutating func time(_ key: String) throws(PayloadRefusal) -> WallTime {
        try parsed(key, WallTime.init)
    }

    /// An optional time in RFC 3339.
    public mutating func optionalTime(_ key: String) throws(PayloadRefusal) -> WallTime? {
        try optionalParsed(key, WallTime.init)
    }

    /// A required run id.
    public mutating func boot(_ key: String) throws(PayloadRefusal) -> Boot {
        try parsed(key) { Boot($0) }
    }

    // MARK: Numbers and truths

    /// An optional number in `range`.
    public mutating func optionalNumber(
        _ key: String, in range: ClosedRange<Double>
    ) throws(PayloadRefusal) -> Double? {
        guard let number = try convert(key, { $0.double }) else { return nil }
        guard range.contains(number) else { throw .outOfRange(key) }
        return number
    }

    /// A required number in `range`.
    public mutating func number(_ key: String, in range: ClosedRange<Double>) throws(PayloadRefusal) -> Double {
        try require(key, try optionalNumber(key, in: range))
    }

    /// An optional whole number in `range`; a number with a fraction has the wrong type.
    public mutating func optionalCount<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) throws(PayloadRefusal) -> Number? {
        guard let value = value(key) else { return nil }
        guard let integer = value.integer else {
            // A whole number beyond 64 bits is a number, but out of every range.
            guard let double = value.double, double.rounded() == double else { throw .wrongType(key) }
            throw .outOfRange(key)
        }
        guard let number = Number(exactly: integer), range.contains(number) else { throw .outOfRange(key) }
        return number
    }

    /// A required whole number in `range`; a number with a fraction has the wrong type.
    public mutating func count<Number: FixedWidthInteger>(
        _ key: String, in range: ClosedRange<Number>
    ) throws(PayloadRefusal) -> Number {
        try require(key, try optionalCount(key, in: range))
    }

    /// An optional `true` or `false`.
    public mutating func optionalBool(_ key: String) throws(PayloadRefusal) -> Bool? {
        try convert(key, { $0.bool })
    }

    /// The required time since the start of a process: `uptime_ms`, at most a century.
    mutating func uptime() throws(PayloadRefusal) -> Instant {
        Instant(milliseconds: Int64(try count("uptime_ms", in: Self.uptimes)))
    }

    // MARK: Arrays and objects

    /// An optional object.
    public mutating func optionalObject(_ key: String) throws(PayloadRefusal) -> JSONObject? {
        try convert(key, { $0.object })
    }

    /// A required array whose elements `read` converts; an array longer than `limit` is out of range.
    public mutating func array<Element>(
        _ key: String, limit: Int, _ read: (JSONValue) throws(PayloadRefusal) -> Element
    ) throws(PayloadRefusal) -> [Element] {
        let values = try require(key, try convert(key, { $0.array }))
        guard values.count <= limit else { throw .tooMany(key, most: limit) }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for value in values { elements.append(try read(value)) }
        return elements
    }

    /// A required array of ids.
    public mutating func ids(_ key: String, limit: Int) throws(PayloadRefusal) -> [String] {
        try array(key, limit: limit) { (value) throws(PayloadRefusal) in
            guard let id = value.string else { throw .wrongType(key) }
            guard isValidID(id) else { throw .malformed(key) }
            return id
        }
    }

    /// An optional array of texts of at most `longestText` bytes.
    public mutating func optionalTexts(_ key: String, limit: Int) throws(PayloadRefusal) -> [String]? {
        value(key) == nil ? nil : try texts(key, limit: limit)
    }

    /// A required array of texts of at most `longestText` bytes.
    public mutating func texts(_ key: String, limit: Int) throws(PayloadRefusal) -> [String] {
        try array(key, limit: limit) { (value) throws(PayloadRefusal) in
            guard let text = value.string else { throw .wrongType(key) }
            guard text.utf8.count <= Self.longestText else { throw .outOfRange(key) }
            return text
        }
    }
}
