/// A range of events of one run that an event log holds; `info.log` has one range or more per run.
public struct LogRange: Hashable, Sendable {
    /// The run id.
    public var boot: Boot
    /// The numbers of the events.
    public var seqs: SeqRange

    /// Creates the range `seqs` of that run.
    public init(boot: Boot, seqs: SeqRange) {
        self.boot = boot
        self.seqs = seqs
    }

    /// Writes the range as an object.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("boot", boot)
            seqs.writeFields(to: &json)
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        boot = try fields.boot("boot")
        seqs = try SeqRange(reading: &fields)
    }
}
