/// The request `request/events` to a gateway or the aggregator for missed events.
public struct EventsRequest: Body {
    /// The run id of the events.
    public var boot: Boot
    /// The numbers of the events; a response has at most `EventsResponse.most`.
    public var seqs: SeqRange

    /// Creates a request for the events `seqs` of that run.
    public init(boot: Boot, seqs: SeqRange) {
        self.boot = boot
        self.seqs = seqs
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.field("boot", boot.description)
        seqs.writeFields(to: &json)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        boot = try fields.boot("boot")
        seqs = try SeqRange(reading: &fields)
    }
}
