/// Consecutive events of one run, by their numbers.
public struct SeqRange: Hashable, Sendable {
    /// The number of the first event.
    public var from: UInt64
    /// The number of the last event, not below `from`.
    public var to: UInt64

    /// Creates the range of the events `from` to `to`, inclusive.
    public init(from: UInt64, to: UInt64) {
        self.from = from
        self.to = to
    }

    /// Writes `"from_seq"` and `"to_seq"`.
    func writeFields(to json: inout JSONWriter) {
        json.field("from_seq", from)
        json.field("to_seq", to)
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        from = try fields.count("from_seq", in: EventID.numbers)
        to = try fields.count("to_seq", in: EventID.numbers)
        guard from <= to else { throw .outOfRange("to_seq") }
    }
}
