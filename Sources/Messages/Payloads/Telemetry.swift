import Beacons

/// A gateway's counters, since its boot began, and gauges, as they are.
public struct Telemetry: Payload {
    /// The boot that the counters count since.
    public var boot: Boot
    /// When, on that boot's clock.
    public var uptime: Instant
    /// Advertisements per second since the telemetry before.
    public var advertsPerSecond: Double
    /// Advertisements received.
    public var adverts: UInt64
    /// Those that were a beacon's.
    public var sightings: UInt64
    /// Those that were not, by the name of the refusal; only the first 256 in alphabetical order are sent.
    public var refused: [String: UInt64]
    /// Reports that the kernel dropped before they were read.
    public var lostInKernel: UInt64
    /// Beacons of regions that are known now.
    public var beacons: Int
    /// Beacons of no region that are known now.
    public var unknownBeacons: Int
    /// Messages that wait for the broker.
    public var outbox: Int
    /// Connections to the broker after the first.
    public var reconnects: UInt64
    /// Of one processor, since the telemetry before.
    public var cpuPercent: Double
    /// Resident memory.
    public var rssBytes: UInt64
    /// The most names that are read.
    public static let longestList = 256

    /// Since the boot began, in whole seconds.
    public var uptimeSeconds: UInt64 { UInt64(max(0, uptime.milliseconds / 1000)) }

    /// A telemetry with all its properties.
    public init(
        boot: Boot, uptime: Instant, advertsPerSecond: Double, adverts: UInt64, sightings: UInt64,
        refused: [String: UInt64], lostInKernel: UInt64, beacons: Int, unknownBeacons: Int, outbox: Int,
        reconnects: UInt64, cpuPercent: Double, rssBytes: UInt64
    ) {
        self.boot = boot
        self.uptime = uptime
        self.advertsPerSecond = advertsPerSecond
        self.adverts = adverts
        self.sightings = sightings
        self.refused = refused
        self.lostInKernel = lostInKernel
        self.beacons = beacons
        self.unknownBeacons = unknownBeacons
        self.outbox = outbox
        self.reconnects = reconnects
        self.cpuPercent = cpuPercent
        self.rssBytes = rssBytes
    }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("boot", boot.description)
            json.field("uptime_ms", uptime.milliseconds)
            json.field("adverts_per_s", advertsPerSecond, decimals: 1)
            json.field("adverts", adverts)
            json.field("sightings", sightings)
            json.object("refused") { json in
                for (name, count) in refused.sorted(by: { $0.key < $1.key }).prefix(Self.longestList) {
                    json.key(named: name)
                    json.element(count)
                }
            }
            json.field("lost_in_kernel", lostInKernel)
            json.field("beacons", beacons)
            json.field("unknown_beacons", unknownBeacons)
            json.field("outbox", outbox)
            json.field("reconnects", reconnects)
            json.field("cpu_percent", cpuPercent, decimals: 1)
            json.field("rss_bytes", rssBytes)
            json.field("uptime_s", uptimeSeconds)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        boot = try fields.boot("boot")
        uptime = try fields.uptime()
        advertsPerSecond = try fields.number("adverts_per_s", in: Fields.amounts)
        adverts = try fields.count("adverts", in: Fields.counts)
        sightings = try fields.count("sightings", in: Fields.counts)
        refused = try fields.countsByName("refused", limit: Self.longestList)
        lostInKernel = try fields.count("lost_in_kernel", in: Fields.counts)
        beacons = try fields.count("beacons", in: Fields.gauges)
        unknownBeacons = try fields.count("unknown_beacons", in: Fields.gauges)
        outbox = try fields.count("outbox", in: Fields.gauges)
        reconnects = try fields.count("reconnects", in: Fields.counts)
        cpuPercent = try fields.number("cpu_percent", in: Fields.amounts)
        rssBytes = try fields.count("rss_bytes", in: Fields.counts)
    }
}

extension Fields {
    /// Counts by name, of at most `limit` names; absent, none.
    fileprivate mutating func countsByName(_ key: String, limit: Int) throws(PayloadRefusal) -> [String: UInt64] {
        guard let members = try optionalObject(key)?.members else { return [:] }
        guard members.count <= limit else { throw .outOfRange(key) }
        var counts: [String: UInt64] = [:]
        for member in members {
            guard let integer = member.value.integer else { throw .wrongType(key) }
            guard let count = UInt64(exactly: integer), Self.counts.contains(count) else { throw .outOfRange(key) }
            counts[member.key] = count
        }
        return counts
    }
}
