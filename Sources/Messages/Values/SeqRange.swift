/// Consecutive events of one run, by their numbers.
package struct SeqRange: Members {
    /// The number of the first event.
    package var from: UInt64
    /// The number of the last event, not below `from`.
    package var to: UInt64

    package init(from: UInt64, to: UInt64) {
        self.from = from
        self.to = to
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("from_seq", from)
        json.field("to_seq", to)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        from = try fields.count("from_seq", in: EventID.numbers)
        to = try fields.count("to_seq", in: EventID.numbers)
        guard from <= to else { throw .outOfRange("to_seq") }
    }
}
