import Beacons
import Simulation

/// What the gateways of a house received for a while, and where the tags were: rows as recordings of real sites have them.
///
/// Times are milliseconds since the recording's beginning, beacons are the tags' ids, zones the rooms' names.
public struct HouseRecording: Sendable {
    /// One beacon received once.
    public struct Sighting: Hashable, Sendable {
        /// Since the beginning.
        public var milliseconds: Int64
        /// The gateway's id.
        public var gateway: String
        /// The tag's id.
        public var beacon: String
        /// How strongly.
        public var rssi: RSSI
    }

    /// Where one beacon was.
    public struct Truth: Hashable, Sendable {
        /// Since the beginning.
        public var milliseconds: Int64
        /// The tag's id.
        public var beacon: String
        /// The room's name; `nil`: it was away.
        public var room: String?
        /// Where exactly.
        public var position: House.Position
    }

    /// In order of time, and of gateways within one millisecond.
    public var sightings: [Sighting] = []
    /// In order of time, and of tags.
    public var truth: [Truth] = []

    /// Records all gateways of `house`; the truth is noted every `step`.
    public init(
        of house: House, from start: HouseTime = .zero, lasting length: Interval,
        truthEvery step: Interval = .seconds(1)
    ) {
        precondition(step > .zero, "a step of some length")
        let ids = house.tags.map(\.id)
        for gateway in house.gateways {
            var receiver = HouseReceiver(house: house, gateway: gateway, from: start, tagsOnly: true)
            while let reception = receiver.next(before: start + length) {
                guard case .tag(let tag) = reception.source else { continue }
                sightings.append(
                    Sighting(
                        milliseconds: (reception.at - start).milliseconds, gateway: gateway.id, beacon: ids[tag],
                        rssi: reception.rssi))
            }
        }
        // Swift's sort is stable.
        sightings.sort { $0.milliseconds < $1.milliseconds }
        var positions = HousePositions(house)
        for nanoseconds in stride(from: 0, through: length.nanoseconds, by: Int(step.nanoseconds)) {
            let past = Interval(nanoseconds: nanoseconds)
            for (tag, id) in ids.enumerated() {
                let position = positions.position(ofTag: tag, at: start + past)
                let room = house.plan.room(at: position).map { house.plan.rooms[$0].name }
                truth.append(Truth(milliseconds: past.milliseconds, beacon: id, room: room, position: position))
            }
        }
    }

    /// `t_ms,gateway,beacon,rssi` and a line per sighting.
    public var sightingsCSV: String {
        sightings.reduce(into: "t_ms,gateway,beacon,rssi\n") { text, row in
            text += "\(row.milliseconds),\(row.gateway),\(row.beacon),\(row.rssi.dBm)\n"
        }
    }

    /// `t_ms,beacon,zone,x,y,z` and a line per tag and moment; the zone is empty when it was away.
    public var truthCSV: String {
        truth.reduce(into: "t_ms,beacon,zone,x,y,z\n") { text, row in
            let (x, y, z) = (row.position.x, row.position.y, row.position.z)
            text +=
                "\(row.milliseconds),\(row.beacon),\(row.room ?? ""),\(x.centimetric),\(y.centimetric),\(z.centimetric)\n"
        }
    }
}

extension Double {
    /// Metres to the centimetre; adding 0 makes -0 a plain 0.
    var centimetric: Double { (self * 100).rounded() / 100 + 0 }
}
