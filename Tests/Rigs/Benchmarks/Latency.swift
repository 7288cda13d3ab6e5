import Beacons
import Glibc
import HCI
import Linux
import Messages
import Mosquitto
import TestBroker

/// How long an event takes through both programs and a real mosquitto on this machine.
///
/// A gateway plays a recording in which 400 items come and go. An enter takes the time from the advertisement to the subscriber, a departure
/// the time from the gateway's exit to the item's `left`, both at the same subscriber.
struct Latency {
    private static let items = 400
    private static let uuid = BeaconUUID("daf246ce-8363-11e4-b116-123b93f75cba")!
    /// What `log.commit_within` of both programs is: events are on disk before they are published.
    let commitWithin: String

    /// Milliseconds, in order.
    struct Samples {
        /// From the advertisement to the gateway's event.
        var enters: [Double] = []
        /// From that event to the item's.
        var departures: [Double] = []
        /// From here to the broker and back, at the same time: what the machine and its other work take.
        var loops: [Double] = []
    }

    /// Measures all three.
    func measure(programs: String) throws -> Samples {
        let folder = try TestFolder()
        let broker = try TestBroker()
        let recording = folder.path("recording.btsnoop")
        guard let file = fopen(recording, "w") else { throw SystemError("create \(recording)", code: errno) }
        Self.recording.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
        for name in ["gateway", "aggregator"] { mkdir(folder.path(name), 0o700) }
        let connection =
            "[mqtt]\nhost = \"127.0.0.1\"\nport = \(broker.port)\n[log]\ncommit_within = \"\(commitWithin)\"\n"
        let aggregator = try folder.write(
            "state_directory = \"\(folder.path("aggregator"))\"\n\(connection)[page]\nenabled = false\n"
                + (0..<Self.items).map {
                    "[[item]]\nname = \"Item \($0)\"\nuuid = \"\(Self.uuid)\"\nmajor = 1\nminor = \($0)\n"
                }.joined(),
            to: "aggregator.toml")
        let gateway = try folder.write(
            """
            id = "hall"
            state_directory = "\(folder.path("gateway"))"
            \(connection)[radio]
            source = "capture:\(recording)"
            at_end = "silence"
            [monitoring]
            exit_after = "5s"
            [[region]]
            identifier = "All"
            uuid = "\(Self.uuid)"
            """, to: "gateway.toml")
        var options = BrokerOptions(host: "127.0.0.1", port: Int(broker.port), clientID: "latency")
        options.subscriptions = ["forgetmenot/beacons/+/+/+/+/event", "forgetmenot/items/+/event", Self.loop].map {
            Subscription($0)
        }
        let subscriber = try BrokerConnection(options)
        try subscriber.start()
        defer { subscriber.stop(within: .zero) }
        let service = try Child(["\(programs)/forgetmenot", "run", "--config", aggregator])
        defer { service.end(by: SIGTERM) }
        let radio = try Child(["\(programs)/forgetmenot-gateway", "run", "--config", gateway])
        defer { radio.end(by: SIGTERM) }
        return collect(from: subscriber)
    }

    private static let loop = "bench/loop"

    private func collect(from subscriber: BrokerConnection) -> Samples {
        var samples = Samples()
        var (looped, isUnderway) = (Clock.now, false)
        var exits: [UInt16: Instant] = [:]
        let deadline = Clock.now + .seconds(90)
        while samples.departures.count < Self.items, Clock.now < deadline {
            if !isUnderway, Clock.now - looped >= .milliseconds(20) {
                looped = Clock.now
                isUnderway =
                    subscriber.publish(
                        OutgoingMessage(topic: Self.loop, payload: [1], qos: .atLeastOnce, expirySeconds: nil)) != nil
            }
            _ = wait(for: [subscriber.wakeup], until: Clock.now + .milliseconds(20))
            let (now, wall) = (Clock.now, Clock.wall)
            for case .message(let message) in subscriber.take() {
                if message.topic == Self.loop {
                    samples.loops.append((now - looped).seconds * 1000)
                    isUnderway = false
                    continue
                }
                let topic = Topic(named: message.topic, under: .standard)
                if case .itemEvent? = topic, let event = try? ItemEvent(parsing: message.payload) {
                    guard case .left = event.change, let minor = UInt16(event.item.drop { !$0.isNumber }) else {
                        continue
                    }
                    if let exit = exits[minor] { samples.departures.append((now - exit).seconds * 1000) }
                } else if let topic, let event = try? BeaconEvent(parsing: message.payload, on: topic) {
                    switch event.transition {
                    case .enter: samples.enters.append((wall - event.stamp.at).seconds * 1000)
                    case .exit: exits[event.beacon.minor] = now
                    }
                }
            }
        }
        for list in [\Samples.enters, \.departures, \.loops] { samples[keyPath: list].sort() }
        return samples
    }

    /// Each item sends three times a second for three seconds, from 4 s on, one after the other in 20 s.
    private static var recording: [UInt8] {
        var adverts: [(at: Int64, item: Int)] = []
        for item in 0..<items {
            for repeated in 0..<9 {
                adverts.append((4_000_000 + Int64(item) * 50_000 + Int64(repeated) * 333_000, item))
            }
        }
        var file = BtsnoopWriter.header
        for (at, item) in adverts.sorted(by: { ($0.at, $0.item) < ($1.at, $1.item) }) {
            let frame = BeaconFrame(
                format: .iBeacon, identity: BeaconIdentity(uuid: uuid, major: 1, minor: UInt16(item)),
                measuredPower: MeasuredPower(dBm: -59))
            let report = HCIPacket.Report(
                address: DeviceAddress(bits: 0xC0_0000_0000_00 | UInt64(item), kind: .random), rssi: RSSI(dBm: -60),
                data: frame.advertisingData)
            let packet = HCIPacket.advertisingReports([report])
            BtsnoopWriter.append(
                packet.span.bytes, at: CaptureTime(microseconds: 1_795_239_600_000_000 + at), to: &file)
        }
        return file
    }
}

extension [Double] {
    /// The value that this share of them does not exceed, of sorted ones; 0 of none.
    func quantile(_ share: Double) -> Double {
        isEmpty ? 0 : self[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
