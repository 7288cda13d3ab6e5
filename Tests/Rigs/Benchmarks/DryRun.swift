import Beacons
import GatewayCore
import HCI
import Messages
import Settings

/// A gateway without radio and broker: packets go in, messages are made and counted. What the benchmark measures.
struct DryRun {
    private var decoder = AdvertisementDecoder()
    private var pipeline: GatewayPipeline
    /// How many messages and events it would have published.
    private(set) var messages = 0

    /// A gateway that begins at the clock's zero.
    init(_ configuration: GatewayConfiguration) {
        let start = Moment(instant: .zero, wall: WallTime(milliseconds: 0), isSynchronised: true)
        pipeline = GatewayPipeline(configuration, boot: Boot("1.benc")!, at: start)
        pipeline.handle(.state(.poweredOn, reason: "a dry run"), at: start)
        pipeline.connected(at: start)
    }

    /// A gateway that monitors all beacons of the corpus.
    static func ofAllBeacons() -> DryRun {
        let text = """
            id = "bench"
            [[region]]
            identifier = "All"
            uuid = "daf246ce-8363-11e4-b116-123b93f75cba"
            """
        let reading = readSettings(Array(text.utf8), file: "bench") { GatewayConfiguration($0, hostName: "bench") }
        guard let configuration = reading.configuration else { fatalError("\(reading.problems)") }
        return DryRun(configuration)
    }

    /// Takes one H4 packet that came at `now`.
    mutating func take(_ packet: RawSpan, at now: Instant) {
        decoder.decode(packet, at: now) { pipeline.receive($0, $1) }
        guard pipeline.nextDeadline <= now else { return }
        let wall = WallTime(milliseconds: now.milliseconds)
        pipeline.advance(to: Moment(instant: now, wall: wall, isSynchronised: true))
        messages += pipeline.drainOutputs().count
        if pipeline.log.undelivered > 0 { messages += pipeline.events.withdraw().count }
    }
}
