import Beacons

/// What one gateway of a house receives, one advertisement after the other, before it becomes bytes.
///
/// Two receivers that begin at different times receive the same from the later time on.
public struct HouseReceiver: Sendable {
    private let tags: Int
    private let scan: ScanDuty?
    private let scanPhase: Int64
    private var positions: HousePositions
    private var schedules: [AdvertisingSchedule]
    private var links: [RadioLink]
    private var agenda: Agenda

    /// What `gateway` receives from `start` on; `tagsOnly` leaves bystanders out and changes nothing else.
    public init(house: House, gateway: House.Gateway, from start: HouseTime, tagsOnly: Bool = false) {
        let seed = Seed(house.seed)
        let transmitters = tagsOnly ? house.tags.map(\.transmitter) : house.transmitters
        tags = house.tags.count
        scan = house.channel.scan
        scanPhase =
            house.channel.scan.map { Int64(seed[.scan][gateway.id].unit * Double($0.interval.nanoseconds)) } ?? 0
        positions = HousePositions(house)
        schedules = transmitters.enumerated().map { index, transmitter in
            AdvertisingSchedule(interval: transmitter.interval, seed: seed[.advertising][index], from: start)
        }
        links = transmitters.enumerated().map { RadioLink(from: $0, power: $1.power, to: gateway, in: house) }
        agenda = Agenda(schedules.map(\.next))
    }

    /// The next reception before `end`; `nil` where there is none up to then: ask again with a later end.
    public mutating func next(before end: HouseTime) -> Reception? {
        while let (index, time) = agenda.next, time < end {
            let number = schedules[index].number
            schedules[index].advance()
            agenda.putOff(to: schedules[index].next)
            if let scan, !scan.scans(at: time.nanoseconds &+ scanPhase) { continue }
            let antenna = positions.antenna(ofTransmitter: index, at: time)
            if let rssi = links[index].rssi(ofAdvertisement: number, at: time, from: antenna) {
                return Reception(source: index < tags ? .tag(index) : .bystander(index - tags), rssi: rssi, at: time)
            }
        }
        return nil
    }

    /// What arrives of a tag (by index) on average at that time, in dBm: everything but fading and loss, above the noise or not.
    public mutating func level(ofTag tag: Int, at time: HouseTime) -> Double {
        links[tag].level(at: time, of: positions.antenna(ofTransmitter: tag, at: time))
    }
}
