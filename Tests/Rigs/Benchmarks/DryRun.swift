import Beacons
import GatewayCore
import HCI
import Messages

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
        pipeline.take(.state(.poweredOn, reason: "a dry run"), at: start)
        pipeline.connected(at: start)
    }

    /// Takes one H4 packet that came at `now`.
    mutating func take(_ packet: RawSpan, at now: Instant) {
        decoder.decode(packet, at: now) { pipeline.hear($0, $1) }
        guard pipeline.nextDeadline <= now else { return }
        let wall = WallTime(milliseconds: now.milliseconds)
        pipeline.advance(to: Moment(instant: now, wall: wall, isSynchronised: true))
        messages += pipeline.takeOutputs().count
        while let event = pipeline.log.takeNext() {
            pipeline.log.acknowledge(event.place)
            messages += 1
        }
    }
}
