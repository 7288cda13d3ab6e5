import Beacons

/// A gateway's counters since its start, and its current gauges.
package struct Telemetry: Payload {
    /// The run id of the process whose start is the origin of the counters.
    package var boot: Boot
    /// The time of the telemetry on the process's clock.
    package var uptime: Instant
    /// Advertisements per second since the previous telemetry.
    package var advertsPerSecond: Double
    package var adverts: UInt64
    /// Advertisements that became a sighting.
    package var sightings: UInt64
    /// Refused advertisements by the name of the refusal; only the first 256 names in alphabetical order are sent.
    package var refused: [String: UInt64]
    /// Reports that the kernel dropped before the gateway read them.
    package var lostInKernel: UInt64
    /// The number of known beacons that match a region.
    package var beacons: Int
    /// The number of known beacons that match no region.
    package var unknownBeacons: Int
    package var outbox: Int
    /// The number of connections to the broker after the first.
    package var reconnects: UInt64
    /// The processor time since the previous telemetry, in percent of one processor.
    package var cpuPercent: Double
    /// The resident memory in bytes.
    package var rssBytes: UInt64
    /// The limit of names when a payload is read.
    package static let longestList = 256

    package init(
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

    package func writeFields(to json: inout JSONWriter) {
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
        json.field("uptime_s", max(0, uptime.milliseconds / 1000))
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
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
    /// Reads counts by name, at most `limit` names; an absent key yields none.
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
