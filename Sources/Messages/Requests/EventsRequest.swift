/// Asks a gateway or the aggregator for events that were missed: `request/events`.
public struct EventsRequest: Body {
    /// Of which of its boots.
    public var boot: Boot
    /// Which events; at most `EventsAnswer.most` come back at once.
    public var seqs: SeqRange

    /// Asks for the events `seqs` of that boot.
    public init(boot: Boot, seqs: SeqRange) {
        self.boot = boot
        self.seqs = seqs
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("boot", boot.description)
        seqs.writeFields(to: &json)
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        boot = try fields.boot("boot")
        seqs = try SeqRange(reading: &fields)
    }
}
