import Beacons

/// A gateway's heartbeat: its identity, the state of its radio, the contents of its event log, and its problems.
package struct GatewayInfo: Payload {
    /// The adapter or other source that a gateway receives from.
    package struct Radio: Members {
        /// The configured source: `bluez:hci0`, `capture:FILE` or `simulation`.
        package var source: String
        /// The kernel interface in use: `monitor`, `raw` or `user`; `nil` if the source is not an adapter.
        package var interface: String?
        /// The adapter's address. The kind of the address is not sent; a reader assumes a public address.
        package var address: DeviceAddress?
        /// Whether the radio can receive.
        package var state: RadioState
        /// The reason for this state or this interface, in a sentence.
        package var reason: String?

        package init(
            source: String, interface: String? = nil, address: DeviceAddress? = nil, state: RadioState,
            reason: String? = nil
        ) {
            self.source = source
            self.interface = interface
            self.address = address
            self.state = state
            self.reason = reason
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("source", source)
            json.field("interface", interface)
            json.field("address", address?.description)
            json.field("state", state.rawValue)
            json.field("reason", reason)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            source = try fields.text("source")
            interface = try fields.optionalText("interface")
            address = try fields.optionalParsed("address") { DeviceAddress($0, kind: .public) }
            state = try fields.word("state")
            reason = try fields.optionalText("reason")
        }
    }

    package struct Beacon: Members {
        package var identity: BeaconIdentity
        /// The RSSI that the beacon claims to give at 1 m.
        package var measuredPower: MeasuredPower

        package init(identity: BeaconIdentity, measuredPower: MeasuredPower) {
            self.identity = identity
            self.measuredPower = measuredPower
        }

        package func writeFields(to json: inout JSONWriter) {
            json.fields(of: identity)
            json.field("measured_power_dbm", measuredPower.dBm)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            identity = try fields.beacon()
            guard let power = try fields.overridingPower() else { throw .missing("measured_power_dbm") }
            measuredPower = power
        }
    }

    /// What a gateway knows of its machine. A value that the machine does not report is `nil`.
    package struct Machine: Members {
        /// The bytes that are free on the disk of the state folder.
        package var freeBytes: UInt64?
        /// The temperature of the processor, in °C.
        package var temperature: Double?
        /// Whether the power supply is too weak now, as a Raspberry Pi reports it.
        package var isUndervolted: Bool?

        package static let temperatures: ClosedRange<Double> = -100...200

        package init(freeBytes: UInt64? = nil, temperature: Double? = nil, isUndervolted: Bool? = nil) {
            self.freeBytes = freeBytes
            self.temperature = temperature.flatMap { Self.temperatures.contains($0) ? $0 : nil }
            self.isUndervolted = isUndervolted
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("disk_free_bytes", freeBytes)
            json.field("temperature_c", temperature, decimals: 1)
            json.field("undervoltage", isUndervolted)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            freeBytes = try fields.optionalCount("disk_free_bytes", in: Fields.counts)
            temperature = try fields.optionalNumber("temperature_c", in: Self.temperatures)
            isUndervolted = try fields.optionalBool("undervoltage")
        }
    }

    /// The gateway's id.
    package var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    package var room: String?
    /// The name of the gateway's machine; `nil` if it has none.
    package var host: String?
    /// The receiver offset, in dB, of the gateway's own configuration; `nil` if the configuration adds nothing.
    ///
    /// The RSSI values that the gateway publishes do not contain the offset: a reader adds it.
    package var rssiOffset: Double?
    package var version: String
    /// When the message was sent. Readers derive the offset between the sender's clock and their own.
    package var stamp: Stamp
    package var validFor: UInt32
    package var radio: Radio
    /// The beacon that the gateway's configuration transmits; `nil`: none.
    package var beacon: Beacon?
    /// What is known of the gateway's machine; `nil`: nothing.
    package var machine: Machine?
    /// The contents of the event log, oldest run id first; only the newest `longestList` ranges are sent.
    package var log: [LogRange]
    /// The current problems, each in a sentence; only the first `longestList` that fit are sent.
    package var problems: [String]
    /// The number of monitored regions, including the implicit regions of items.
    package var regions: Int
    /// The revision of the gateway's registry; `nil` if it has none.
    package var revision: UInt64?

    /// The receiver offsets, in dB, that a configuration may have.
    private static let offsets: ClosedRange<Double> = -50...50
    /// The limit of `log` and `problems` when a payload is read.
    package static let longestList = 256

    package init(
        gateway: String, room: String? = nil, host: String? = nil, rssiOffset: Double? = nil, version: String,
        stamp: Stamp, validFor: UInt32 = Validity.heartbeatSeconds, radio: Radio, beacon: Beacon? = nil,
        machine: Machine? = nil, log: [LogRange] = [], problems: [String] = [], regions: Int, revision: UInt64? = nil
    ) {
        self.gateway = gateway
        self.room = room
        self.host = host
        self.rssiOffset = rssiOffset
        self.version = version
        self.stamp = stamp
        self.validFor = validFor
        self.radio = radio
        self.beacon = beacon
        self.machine = machine
        self.log = log
        self.problems = problems
        self.regions = regions
        self.revision = revision
    }

    package var validForSeconds: UInt32? { validFor }

    package func writeFields(to json: inout JSONWriter) {
        json.field("gateway", gateway)
        json.field("room", room)
        json.field("host", host)
        json.field("rssi_offset_db", rssiOffset, decimals: 2)
        json.field("version", version)
        stamp.writeBootFirst(to: &json, alwaysSynchronised: true)
        json.field("valid_for_s", validFor)
        json.object("radio", radio)
        json.object("beacon", beacon)
        json.object("machine", machine)
        json.array("log", log.suffix(Self.longestList))
        json.field("problems", problems.fitting(count: Self.longestList))
        json.field("regions", regions)
        json.field("revision", revision)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        if room?.isBlank == true { throw .malformed("room") }
        host = try fields.optionalText("host")
        rssiOffset = try fields.optionalNumber("rssi_offset_db", in: Self.offsets)
        version = try fields.text("version")
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
        radio = try fields.entry("radio")
        beacon = try fields.optionalEntry("beacon")
        machine = try fields.optionalEntry("machine")
        log = try fields.entries("log", limit: Self.longestList)
        problems = try fields.texts("problems", limit: Self.longestList)
        regions = try fields.count("regions", in: Fields.gauges)
        revision = try fields.optionalCount("revision", in: Fields.counts)
    }
}

extension GatewayInfo {
    /// By how much two clocks that are right may differ, and for how long after its start a gateway may wait for a time server.
    private static let clockTolerance = Interval.seconds(300)

    /// The sentence about a clock of the gateway that is wrong; `nil` if it is right, or may be set yet.
    ///
    /// - Parameter time: when the `info` was sent, by a clock that is right.
    package func clockProblem(sentAt time: WallTime) -> String? {
        let error = max(stamp.at - time, time - stamp.at)
        guard error > Self.clockTolerance, stamp.uptime - .zero >= Self.clockTolerance else { return nil }
        let side = stamp.at < time ? "behind" : "ahead"
        return "the clock of \(gateway) is \(error.age) \(side): run `timedatectl set-ntp true` on its machine, "
            + "and check that it reaches a time server"
    }
}
