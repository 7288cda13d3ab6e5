import Beacons
import HCI
import Simulation

/// The radio that is a simulated house: bytes as a controller gives them, through the same decoder.
///
/// The house lives by the wall clock as it was at the start, so that all gateway processes of one seed are in one house.
struct SimulationRadio: Radio {
    private let start: Moment
    private var receiver: SimulatedReceiver
    private var decoder = AdvertisementDecoder()
    private var isAnnounced = false
    private var owesProof = false

    init(seed: UInt64, gateway: String, room: String, at start: Moment) {
        self.start = start
        receiver = SimulatedReceiver(
            house: House(seed: seed), gateway: gateway, room: room, from: HouseTime(start.wall))
    }

    var descriptors: [Int32] { [] }
    var interfaceName: String? { nil }
    var address: DeviceAddress? { nil }
    var counters: ScanCounters { decoder.counters }

    var nextDeadline: Instant? {
        isAnnounced && !owesProof ? receiver.nextDeadline.map { start.instant + ($0 - HouseTime(start.wall)) } : .zero
    }

    mutating func advance(to now: Instant, hear: (Advertisement, RawSpan) -> Void) -> [RadioNotice] {
        // Nothing is received before it is known that the radio listens: to monitoring it would be lost.
        guard isAnnounced else {
            isAnnounced = true
            return [.state(.poweredOn, reason: "listening to a simulated house")]
        }
        let notices: [RadioNotice] = owesProof ? [.proven] : []
        owesProof = false
        let (start, opening) = (start, HouseTime(start.wall))
        receiver.advance(to: opening + (now - start.instant)) { packet, time in
            decoder.decode(packet, at: start.instant + (time - opening), hear)
        }
        return notices
    }

    /// A house that is not there always answers.
    mutating func prove(at now: Instant) { owesProof = true }
    mutating func restart(at now: Instant) { owesProof = true }
    mutating func stop() {}
}
