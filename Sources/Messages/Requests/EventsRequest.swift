/// The request `request/events` to a gateway or the aggregator for missed events.
package struct EventsRequest: Body {
    /// The run id of the events.
    package var boot: Boot
    /// The numbers of the events; a response has at most `EventsResponse.most`.
    package var seqs: SeqRange

    package init(boot: Boot, seqs: SeqRange) {
        self.boot = boot
        self.seqs = seqs
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("boot", boot)
        seqs.writeFields(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        boot = try fields.boot("boot")
        seqs = try SeqRange(reading: &fields)
    }
}
