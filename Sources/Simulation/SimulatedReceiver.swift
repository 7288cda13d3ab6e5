import Beacons

/// The adapter of one gateway in a simulated house: what it receives, as the HCI packets that a real one would give.
///
/// It hands over every 2 ms what came in since, several reports in one packet if need be. Two receivers of one house and gateway give the same packets from
/// the first such moment after the later one's start.
public struct SimulatedReceiver: Sendable {
    /// How long reports are gathered.
    private static let slot: Int64 = 2_000_000
    /// How far ahead the next reception is looked for, so that no process wakes for what will not be received.
    private static let foresight = Interval.seconds(1)

    private let tags: [House.Tag]
    private let tagData: [[UInt8]]
    private let bystanders: [House.Bystander]
    private var receiver: HouseReceiver
    private var upcoming: Reception?
    private var packet = ReportPacket()

    /// When there may be something to take: a packet, or the end of what was looked at; `nil`: never, as nothing sends.
    public private(set) var nextDeadline: HouseTime?

    /// The adapter of `gateway`, switched on at `start`.
    public init(house: House, gateway: House.Gateway, from start: HouseTime) {
        tags = house.tags
        tagData = house.tags.map(\.advertisingData)
        bystanders = house.bystanders
        receiver = HouseReceiver(house: house, gateway: gateway, from: start)
        nextDeadline = tags.isEmpty && bystanders.isEmpty ? nil : start
    }

    /// The adapter of the gateway with this id, wherever the house puts it.
    public init(house: House, gateway id: String, room: String = "", from start: HouseTime) {
        self.init(house: house, gateway: house.gateway(for: id, room: room), from: start)
    }

    /// Hands each packet that came in up to `now` to `take`, with its time, in order of time. All that came since the last call is made up for,
    /// however long ago that was; a `now` before the last one brings nothing.
    public mutating func advance(to now: HouseTime, _ take: (RawSpan, HouseTime) -> Void) {
        guard nextDeadline != nil else { return }
        let end = HouseTime(nanoseconds: now.nanoseconds.divided(by: SimulatedReceiver.slot) * SimulatedReceiver.slot)
        while let reception = upcoming ?? receiver.next(before: end) {
            let slot = slotEnd(of: reception)
            guard slot <= end else { break }
            upcoming = nil
            gather(reception, take)
            while let other = receiver.next(before: slot) { gather(other, take) }
            flush(at: slot, take)
        }
        let limit = end + SimulatedReceiver.foresight
        upcoming = upcoming ?? receiver.next(before: limit)
        nextDeadline = upcoming.map(slotEnd) ?? limit
    }

    private func slotEnd(of reception: Reception) -> HouseTime {
        let slot = reception.at.nanoseconds.divided(by: SimulatedReceiver.slot)
        return HouseTime(nanoseconds: (slot + 1) * SimulatedReceiver.slot)
    }

    private mutating func gather(_ reception: Reception, _ take: (RawSpan, HouseTime) -> Void) {
        switch reception.source {
        case .tag(let index):
            // ADV_NONCONN_IND, as iBeacons send.
            let data = tags[index].reportsBattery ? tags[index].advertisingData(at: reception.at) : tagData[index]
            guard let data else { return }
            add(0x03, tags[index].transmitter, data, reception, take)
        case .bystander(let index):
            let bystander = bystanders[index]
            let data = bystander.advertisingData(at: reception.at)
            add(bystander.eventType, bystander.transmitter, data, reception, take)
        }
    }

    private mutating func add(
        _ eventType: UInt8, _ transmitter: House.Transmitter, _ data: [UInt8], _ reception: Reception,
        _ take: (RawSpan, HouseTime) -> Void
    ) {
        if !packet.fits(dataLength: data.count) { flush(at: slotEnd(of: reception), take) }
        let address = transmitter.address(at: reception.at)
        packet.add(eventType: eventType, address: address, data: data, rssi: reception.rssi)
    }

    private mutating func flush(at time: HouseTime, _ take: (RawSpan, HouseTime) -> Void) {
        // A tag with an empty battery sent none of what was gathered.
        guard !packet.isEmpty else { return }
        take(packet.bytes.span.bytes, time)
        packet.clear()
    }
}
