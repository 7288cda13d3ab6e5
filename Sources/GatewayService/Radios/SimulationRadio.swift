import Beacons
import HCI
import Simulation

/// A radio in a simulated house, which sends packets of a simulated controller through the same decoder.
///
/// The house's time is the wall clock at the start, so that all gateways with one seed are in one house, or begins with `startAt`.
struct SimulationRadio: Radio {
    private let start: Moment
    /// The house's time at the start.
    private let opening: HouseTime
    private var receiver: SimulatedReceiver
    private var decoder = AdvertisementDecoder()
    private var isAnnounced = false
    private var isProofPending = false

    init(seed: UInt64, gateway: String, room: String, startAt: WallTime?, at start: Moment) {
        self.start = start
        opening = HouseTime(startAt ?? start.wall)
        receiver = SimulatedReceiver(
            house: House(seed: seed), gateway: gateway, room: room, from: opening)
    }

    var descriptors: [Int32] { [] }
    var interfaceName: String? { nil }
    var address: DeviceAddress? { nil }
    var counters: ScanCounters { decoder.counters }

    var nextDeadline: Instant? {
        isAnnounced && !isProofPending
            ? receiver.nextDeadline.map { start.instant + ($0 - opening) } : .zero
    }

    mutating func advance(to now: Instant, receive: (Advertisement, RawSpan) -> Void) -> [RadioNotice] {
        // The radio reports its state before it delivers anything, because monitoring drops sightings before that.
        guard isAnnounced else {
            isAnnounced = true
            return [.state(.poweredOn, reason: "receiving a simulated house")]
        }
        let notices: [RadioNotice] = isProofPending ? [.proven] : []
        isProofPending = false
        let (start, opening) = (start, opening)
        receiver.advance(to: opening + (now - start.instant)) { packet, time in
            decoder.decode(packet, at: start.instant + (time - opening), receive)
        }
        return notices
    }

    /// A simulated house always proves itself at once.
    mutating func prove(at now: Instant) { isProofPending = true }
    mutating func restart(at now: Instant) { isProofPending = true }
    mutating func stop() {}
}
