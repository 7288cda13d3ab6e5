import Beacons
import GatewayCore
import Settings

extension Benchmark {
    /// The whole way of a packet, broker excepted: decoded, looked up, monitored, ranged, and what is to be published written as JSON.
    ///
    /// A thousand advertisements a second come in, so that each of the 200 beacons is heard one and a half times a second, and as their RSSI
    /// is drawn anew each time nearly every window is worth a message: more than any house brings.
    static func pipeline(_ corpus: Corpus) -> Benchmark {
        let text = """
            id = "bench"
            [[region]]
            identifier = "All"
            uuid = "daf246ce-8363-11e4-b116-123b93f75cba"
            """
        let reading = readSettings(Array(text.utf8), file: "bench") { GatewayConfiguration($0, hostName: "bench") }
        guard let configuration = reading.configuration else { fatalError("\(reading.problems)") }
        var run = DryRun(configuration)
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
