import Beacons
import Simulation

/// What one gateway's adapter receives in the house, one advertisement after the other, with its bytes.
struct GatewayReceiver: Sendable {
    /// One advertisement, in the run's time.
    struct Received {
        var at: Instant
        /// The tag's index; `nil`: a bystander.
        var tag: Int?
        var address: DeviceAddress
        var rssi: RSSI
        var data: [UInt8]
    }

    private let house: House
    private let tagData: [[UInt8]]
    private var source: HouseReceiver
    private var upcoming: Reception?
    /// The time up to which the next advertisement was searched for.
    private var horizon = Instant.zero
    private static let foresight = Interval.seconds(2)

    init(house: House, gateway: House.Gateway) {
        self.house = house
        tagData = house.tags.map(\.advertisingData)
        source = HouseReceiver(house: house, gateway: gateway, from: HouseTime(Scenario.start))
    }

    /// When there may be something to receive.
    var nextDeadline: Instant { upcoming.map { virtual($0.at) } ?? horizon }

    /// The next advertisement up to `now`.
    mutating func next(upTo now: Instant) -> Received? {
        if upcoming == nil, horizon <= now {
            horizon = now + Self.foresight
            upcoming = source.next(before: HouseTime(Scenario.start) + (horizon - .zero))
        }
        guard let reception = upcoming, virtual(reception.at) <= now else { return nil }
        upcoming = source.next(before: HouseTime(Scenario.start) + (horizon - .zero))
        return received(reception)
    }

    private func virtual(_ time: HouseTime) -> Instant { Instant.zero + (time - HouseTime(Scenario.start)) }

    private func received(_ reception: Reception) -> Received {
        switch reception.source {
        case .tag(let index):
            return Received(
                at: virtual(reception.at), tag: index,
                address: house.tags[index].transmitter.address(at: reception.at), rssi: reception.rssi,
                data: tagData[index])
        case .bystander(let index):
            let bystander = house.bystanders[index]
            return Received(
                at: virtual(reception.at), tag: nil, address: bystander.transmitter.address(at: reception.at),
                rssi: reception.rssi, data: bystander.advertisingData(at: reception.at))
        }
    }
}
