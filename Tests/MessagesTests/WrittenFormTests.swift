import Beacons
import Testing

@testable import Messages

/// A ranged state in the form that gateways write is read by a quick reader, everything else by the general one. They agree on every document.
@Suite struct WrittenFormTests {
    private static let gateway = "kitchen"
    private static let topic = Topic.proximity(bag, gateway: gateway)

    /// A state with any combination of members, and values at the ends of their ranges.
    private func anyState(_ generator: inout SplitMix64) -> RangedState {
        func maybe<Value>(_ values: Value...) -> Value? {
            Bool.random(using: &generator) ? values.randomElement(using: &generator) : nil
        }
        let stamp = Stamp(
            at: WallTime(milliseconds: .random(in: -1_000_000_000_000...4_102_444_800_000, using: &generator)),
            boot: Boot(epoch: .random(in: 0 ... .max, using: &generator), using: &generator),
            uptime: Instant(milliseconds: .random(in: 0...3_155_760_000_000, using: &generator)),
            isClockSynchronised: .random(using: &generator))
        return RangedState(
            gateway: Self.gateway, room: maybe("Kitchen", "Küche", "电脑包", "a room with a long name", ""),
            proximity: [.immediate, .near, .far, .unknown].randomElement(using: &generator)!,
            accuracy: maybe(0, 0.01, 1.84, 99.5, 12_345.67), rssi: maybe(-127, -67.2, 0, 20),
            current: maybe((-127.0, 0), (-61.4, 1), (20, 123_456_789_012_345)).map {
                .init(rssi: $0.0, sightings: $0.1)
            },
            sightings: maybe(0, 1, 9, 123_456_789_012_345) ?? 3,
            measuredPower: maybe(MeasuredPower(dBm: -128), MeasuredPower(dBm: -59), MeasuredPower(dBm: 127)),
            addresses: maybe(0, 1, 12) ?? 2,
            silence: maybe((8.2, 31.5), (900, 0), (0, 0.05)).map { RangedState.Silence(seconds: $0.0, perDay: $0.1) },
            interval: maybe(0, 0.1, 10.24, 900),
            readings: TagReadings(
                batteryPercent: maybe(0, 12, 100), batteryMillivolts: maybe(1600, 2350, 6000),
                temperatureTenths: maybe(-1000, -4, 0, 215, 1250)),
            batteryAge: maybe(0, 40, UInt32.max), stamp: stamp, validFor: maybe(1, 25, 604_800) ?? 30)
    }

    private func quick(_ bytes: [UInt8], on topic: Topic?) -> RangedState? {
        bytes.withUnsafeBufferPointer { RangedState(asWritten: $0, on: topic) }
    }

    @Test func `every ranged state that is written is read by the quick reader, as it was`() throws {
        var generator = SplitMix64(seed: 17)
        for _ in 0..<2000 {
            let bytes = anyState(&generator).bytes
            let general = try RangedState(document: bytes, on: Self.topic)
            #expect(quick(bytes, on: Self.topic) == general, "\(String(decoding: bytes, as: UTF8.self))")
            #expect(quick(bytes, on: nil) == general)
            #expect(quick(bytes, on: .proximity(bag, gateway: "hall")) == nil, "another gateway's topic")
        }
    }

    @Test func `the quick reader and the general reader read the same from a changed document`() throws {
        var generator = SplitMix64(seed: 1717)
        var (taken, refused) = (0, 0)
        for _ in 0..<20_000 {
            var bytes = anyState(&generator).bytes
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes.remove(at: place)
                case 2:
                    bytes.insert(Array("0123456789-.eE\"\\,{}: ntu".utf8).randomElement(using: &generator)!, at: place)
                default: bytes[place] = Array("0123456789-.".utf8).randomElement(using: &generator)!
                }
            }
            guard let state = quick(bytes, on: Self.topic) else {
                refused += 1
                continue
            }
            taken += 1
            #expect(
                (try? RangedState(document: bytes, on: Self.topic)) == state,
                "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 1000 && refused > 1000)
    }

    @Test func `a ranged state in another order, with blanks or with more keys is read by the general reader`() throws {
        let state = RangedState(
            gateway: Self.gateway, proximity: .near, sightings: 9, addresses: 1, stamp: stamp(uptime: 5), validFor: 25)
        let text = String(decoding: state.bytes, as: UTF8.self)
        let others = [
            text.replacing(",", with: ", "), text.dropLast() + ",\"more\":1}",
            text.replacing("\"sightings\":9,", with: "").dropLast() + ",\"sightings\":9}",
            text.replacing("\"near\"", with: "\"n\\u0065ar\""),
        ].map { Array($0.utf8) }
        for bytes in others {
            #expect(quick(bytes, on: Self.topic) == nil)
            #expect(try RangedState(parsing: bytes, on: Self.topic) == state)
        }
    }
}
