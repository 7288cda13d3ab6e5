/// What a writer's event log holds of one boot: `info.log` has one per boot that left something.
public struct LogRange: Hashable, Sendable {
    /// The boot.
    public var boot: Boot
    /// The events that are there.
    public var seqs: SeqRange

    /// The events `seqs` of that boot.
    public init(boot: Boot, seqs: SeqRange) {
        self.boot = boot
        self.seqs = seqs
    }

    /// Writes it as one object.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("boot", boot.description)
            seqs.writeFields(to: &json)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        boot = try fields.boot("boot")
        seqs = try SeqRange(reading: &fields)
    }
}
