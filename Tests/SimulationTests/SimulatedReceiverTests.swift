import Beacons
import Simulation
import Testing

struct SimulatedReceiverTests {
    private let house = House(seed: 7)
    /// 2026-11-21T05:40:00Z.
    private let morning = HouseTime(WallTime(milliseconds: 1_795_239_600_000))

    private struct Packet: Hashable {
        var bytes: [UInt8]
        var time: HouseTime
    }

    private struct Report {
        var time: HouseTime
        var address: UInt64
        var isPublic: Bool
        var data: [UInt8]
        var rssi: Int8

        /// The minor of a tag of the house; `nil` for a bystander.
        var tag: Int? {
            let isTag = data.count == 30 && Array(data[3..<17]) == SimulatedReceiverTests.frame
            return isTag ? Int(data[27]) << 8 | Int(data[28]) : nil
        }
    }

    /// Maker's data of Apple, iBeacon, and the first five bytes of the tags' uuid.
    private static let frame: [UInt8] = [
        0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15, 0x66, 0x6F, 0x72, 0x67, 0x65, 0x74, 0x4D, 0x65,
    ]

    private func packets(
        of id: String, from start: HouseTime, lasting length: Interval, step: Interval? = nil
    ) -> [Packet] {
        var receiver = SimulatedReceiver(house: house, gateway: id, from: start)
        var packets: [Packet] = []
        var now = start
        while now < start + length {
            now = min(start + length, step.map { now + $0 } ?? start + length)
            receiver.advance(to: now) { bytes, time in
                #expect(time <= now)
                packets.append(Packet(bytes: bytes.withUnsafeBytes(Array.init), time: time))
            }
        }
        return packets
    }

    /// Takes a packet apart by the layout of Core 5.4, Vol 4, E 7.7.65.2; every byte must have its place.
    private func reports(in packet: Packet) throws -> [Report] {
        let bytes = packet.bytes
        try #require(bytes.count >= 5 && bytes.count == Int(bytes[2]) + 3)
        #expect(bytes[0] == 0x04 && bytes[1] == 0x3E && bytes[3] == 0x02)
        var reports: [Report] = []
        var position = 5
        while position < bytes.count {
            try #require(bytes.count >= position + 10)
            #expect([0x00, 0x03, 0x04].contains(bytes[position]) && bytes[position + 1] <= 1)
            let length = Int(bytes[position + 8])
            try #require(length <= 31 && bytes.count >= position + 10 + length)
            let address = bytes[position + 2..<position + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            reports.append(
                Report(
                    time: packet.time, address: address, isPublic: bytes[position + 1] == 0,
                    data: Array(bytes[position + 9..<position + 9 + length]),
                    rssi: Int8(bitPattern: bytes[position + 9 + length])))
            position += 10 + length
        }
        try #require(reports.count == Int(bytes[4]) && !reports.isEmpty)
        return reports
    }

    @Test func `two receivers of one gateway agree packet for packet, whenever they began and however they are driven`()
    {
        let whole = packets(of: "kitchen", from: morning, lasting: .seconds(60))
        let again = packets(of: "kitchen", from: morning, lasting: .seconds(60), step: .milliseconds(7))
        let late = packets(of: "kitchen", from: morning + .seconds(20), lasting: .seconds(40), step: .milliseconds(333))
        #expect(whole.count > 500)
        #expect(whole == again)
        #expect(whole.filter { $0.time > morning + .seconds(20) } == late)
        #expect(whole != packets(of: "hall", from: morning, lasting: .seconds(60)))
    }

    @Test func `packets come in order of time, each whole, some with several reports`() throws {
        let packets = packets(of: "hall", from: morning, lasting: .seconds(60))
        var (several, last) = (0, morning)
        for packet in packets {
            let reports = try reports(in: packet)
            #expect(packet.time > last)
            last = packet.time
            if reports.count > 1 { several += 1 }
            #expect(reports.allSatisfy { (-110 ... -20).contains($0.rssi) })
        }
        #expect(several > packets.count / 100)
    }

    @Test func `a deadline is never later than the next packet`() {
        var receiver = SimulatedReceiver(house: house, gateway: "kitchen", from: morning)
        let all = packets(of: "kitchen", from: morning, lasting: .seconds(30))
        var driven: [Packet] = []
        var wakes = 0
        while let deadline = receiver.nextDeadline, deadline <= morning + .seconds(30) {
            receiver.advance(to: deadline) { driven.append(Packet(bytes: $0.withUnsafeBytes(Array.init), time: $1)) }
            wakes += 1
        }
        #expect(driven == all)
        #expect(wakes < all.count + 40)
    }

    @Test func `one tag reports its battery, which runs down again and again, from the address of its beacon`() throws {
        for (minute, percent) in [(20, 100), (30, 40), (36, 4), (40, 100), (56, 4)] as [(Int, UInt8)] {
            let start = morning + .seconds(Double(minute) * 60)
            let all = try packets(of: "kitchen", from: start, lasting: .seconds(60)).flatMap { try reports(in: $0) }
            let reporting = all.filter { TagReadings(in: $0.data.span.bytes) != nil }
            #expect((1...3).contains(reporting.count))
            let address = try #require(all.first { $0.tag == 3 }?.address)
            for report in reporting {
                #expect(TagReadings(in: report.data.span.bytes) == TagReadings(batteryPercent: percent))
                #expect(report.address == address)
            }
        }
    }

    @Test func `a tag with an empty battery sends nothing before it has a new one, each time`() throws {
        for (minute, isEmpty) in [(36, false), (37, true), (39, true), (40, false), (57, true)] {
            let start = morning + .seconds(Double(minute) * 60)
            let all = try packets(of: "kitchen", from: start, lasting: .seconds(60)).flatMap { try reports(in: $0) }
            #expect(!all.isEmpty && all.contains { $0.tag == 3 } != isEmpty)
        }
    }

    @Test func `reports that do not fit in one packet come in the next`() throws {
        var crowd = House.generated(rooms: 3, gateways: 1, tags: 120, seed: 1, others: 0)
        for tag in crowd.tags.indices { crowd.tags[tag].transmitter.interval = .milliseconds(20) }
        var receiver = SimulatedReceiver(house: crowd, gateway: "kitchen", from: morning)
        var packets: [Packet] = []
        receiver.advance(to: morning + .milliseconds(100)) {
            packets.append(Packet(bytes: $0.withUnsafeBytes(Array.init), time: $1))
        }
        let counts = try packets.map { try reports(in: $0).count }
        #expect(counts.contains(6) && counts.max() == 6)
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(zip(packets, packets.dropFirst()).contains { $0.time == $1.time })
    }

    @Test func `an empty house sends nothing and has no deadline`() {
        var receiver = SimulatedReceiver(
            house: .generated(rooms: 3, gateways: 1, tags: 0, seed: 1), gateway: "kitchen", from: .zero)
        #expect(receiver.nextDeadline == nil)
        receiver.advance(to: .zero + .seconds(3600)) { _, _ in Issue.record("a packet from nobody") }
    }

    @Test func `half and more of the received advertisements are of no beacon`() throws {
        for seed in UInt64(1)...2 {
            let house = House(seed: seed)
            var (beacons, others) = (0, 0)
            for gateway in house.gateways {
                var receiver = HouseReceiver(house: house, gateway: gateway, from: morning)
                while let reception = receiver.next(before: morning + .seconds(120)) {
                    switch reception.source {
                    case .tag: beacons += 1
                    case .bystander: others += 1
                    }
                }
            }
            #expect((0.5...0.7).contains(Double(others) / Double(beacons + others)), "seed \(seed)")
        }
    }

    @Test func `a tag at the end of the street is not received`() {
        var positions = HousePositions(house)
        var (received, away) = (0, 0)
        for gateway in house.gateways {
            var receiver = HouseReceiver(house: house, gateway: gateway, from: morning, tagsOnly: true)
            while let reception = receiver.next(before: morning + .seconds(600)) {
                guard case .tag(let tag) = reception.source else { continue }
                let position = positions.position(ofTag: tag, at: reception.at)
                // The gate is 5 m before the door, at x = -5.35; the street's ends are at y = 60 and -60, about.
                if abs(position.y) > 40 { away += 1 } else { received += 1 }
            }
        }
        #expect(received > 10_000)
        #expect(away == 0)
    }

    @Test func `a nearer gateway receives a still tag with a higher RSSI on average`() {
        var (right, wrong) = (0, 0)
        for seed in UInt64(1)...8 {
            let house = House.generated(rooms: 6, gateways: 6, tags: 12, seed: seed)
            for (index, tag) in house.tags.enumerated() {
                guard case .rests(let position) = tag.transmitter.motion else { continue }
                let levels = house.gateways.map { gateway in
                    var receiver = HouseReceiver(house: house, gateway: gateway, from: morning, tagsOnly: true)
                    return (position.distance(to: gateway.position), receiver.level(ofTag: index, at: morning))
                }
                for (nearer, farther) in zip(levels.sorted { $0.0 < $1.0 }, levels.sorted { $0.0 < $1.0 }.dropFirst()) {
                    if nearer.1 > farther.1 { right += 1 } else { wrong += 1 }
                }
            }
        }
        #expect(right > 2 * wrong)
    }

    @Test func `some addresses change every quarter of an hour, others never`() throws {
        var addresses: [Int: Set<UInt64>] = [:]
        for minute in stride(from: 0.0, to: 60, by: 5) {
            for packet in packets(of: "hall", from: morning + .seconds(minute * 60), lasting: .seconds(12)) {
                for report in try reports(in: packet) {
                    if let tag = report.tag { addresses[tag, default: []].insert(report.address) }
                }
            }
        }
        for (index, tag) in house.tags.enumerated() {
            let count = addresses[index + 1]?.count ?? 0
            switch tag.transmitter.address {
            case .fixed(let address): #expect(addresses[index + 1] == [address.bits], "\(tag.name)")
            case .rotating: #expect((2...5).contains(count), "\(tag.name)")
            }
        }
    }

    @Test func `a gateway that the house does not know has its place there all the same`() {
        #expect(house.gateway(for: "living-room", room: "Kitchen") == house.gateways[2])
        #expect(house.gateway(for: "pi4", room: "Living room").room == "Living room")
        #expect(house.gateway(for: "pi4", room: "living ROOM").room == "Living room")
        #expect(house.gateway(for: "pi4", room: "Küche") == house.gateway(for: "pi4"))
        #expect(
            house.gateway(for: "pi4", room: "Office").position != house.gateway(for: "pi5", room: "Office").position)
        var small = house
        small.gateways = []
        #expect(small.gateway(for: "bedroom").room == "Bedroom")
        for index in 0..<50 {
            let gateway = house.gateway(for: "gateway-\(index)")
            let room = house.plan.room(at: gateway.position)
            #expect(room.map { house.plan.rooms[$0].name } == gateway.room)
        }
    }
}
