import Beacons
import Messages

/// A tag came, or went.
struct Passage: CustomStringConvertible {
    var transition: Messages.Transition
    var at: WallTime
    var id: EventID?

    var description: String { "\(at) \(id.map { "\($0) " } ?? "")\(transition)" }

    init(_ event: BeaconEvent) {
        (transition, at, id) = (event.transition, event.stamp.at, event.id)
    }

    private init(_ transition: Messages.Transition, _ at: WallTime) {
        (self.transition, self.at) = (transition, at)
    }

    /// What there was to receive of one tag.
    static func all(of site: ChaosSite, gateway: Int, tag: Int) -> [Passage] {
        site.stays[gateway - 1][tag - 1].flatMap { stay in
            [
                Passage(.enter, site.beganOnTheWall + .seconds(stay.lowerBound)),
                Passage(.exit, site.beganOnTheWall + .seconds(stay.upperBound)),
            ]
        }
    }
}
