import Beacons

extension Benchmark {
    /// The whole way of a packet, broker excepted: decoded, looked up, monitored, ranged, and what is to be published written as JSON.
    ///
    /// A thousand advertisements a second come in, so that each of the 200 beacons is received one and a half times a second, and as their RSSI
    /// is drawn anew each time nearly every window is worth a message: more than any house brings.
    static func pipeline(_ corpus: Corpus) -> Benchmark {
        var run = DryRun.ofAllBeacons()
        var now = Instant.zero
        return Benchmark(name: "the whole pipeline, all 200 monitored") {
            for packet in corpus.packets {
                now = now + .milliseconds(1)
                run.take(corpus.bytes.span.bytes.extracting(packet), at: now)
            }
            return corpus.adverts
        }
    }
}
