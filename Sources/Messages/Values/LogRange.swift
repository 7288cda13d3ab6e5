/// The request `request/events` to a gateway or the aggregator for missed events; a response has at most `EventsResponse.most`.
package typealias EventsRequest = LogRange

/// A range of events of one run that an event log holds; `info.log` has one range or more per run.
package struct LogRange: Body {
    package var boot: Boot
    /// The numbers of the events.
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
