import Beacons
import Simulation

/// What one gateway's adapter receives in the house, one advertisement after the other, with its bytes.
struct Ear: Sendable {
    /// One advertisement, in the trial's time.
    struct Heard {
        var at: Instant
        /// The tag's index; `nil`: something else.
        var tag: Int?
        var address: DeviceAddress
        var rssi: RSSI
        var data: [UInt8]
    }

    private let house: House
    private let tagData: [[UInt8]]
    private var listener: Listener
    private var upcoming: Reception?
    /// Up to here it was looked for the next one.
    private var horizon = Instant.zero
    private static let foresight = Interval.seconds(2)

    init(house: House, gateway: House.Gateway) {
        self.house = house
        tagData = house.tags.map(\.advertisingData)
        listener = Listener(house: house, gateway: gateway, from: HouseTime(Scenario.start))
    }

    /// When there may be something to hear.
    var nextDeadline: Instant { upcoming.map { trial($0.at) } ?? horizon }

    /// The next advertisement up to `now`.
    mutating func next(upTo now: Instant) -> Heard? {
        if upcoming == nil, horizon <= now {
            horizon = now + Self.foresight
            upcoming = listener.next(before: HouseTime(Scenario.start) + (horizon - .zero))
        }
        guard let reception = upcoming, trial(reception.at) <= now else { return nil }
        upcoming = listener.next(before: HouseTime(Scenario.start) + (horizon - .zero))
        return heard(reception)
    }

    private func trial(_ time: HouseTime) -> Instant { Instant.zero + (time - HouseTime(Scenario.start)) }

    private func heard(_ reception: Reception) -> Heard {
        switch reception.source {
        case .tag(let index):
            return Heard(
                at: trial(reception.at), tag: index,
                address: house.tags[index].transmitter.address(at: reception.at), rssi: reception.rssi,
                data: tagData[index])
        case .bystander(let index):
            let bystander = house.bystanders[index]
            return Heard(
                at: trial(reception.at), tag: nil, address: bystander.transmitter.address(at: reception.at),
                rssi: reception.rssi, data: bystander.advertisingData(at: reception.at))
        }
    }
}
