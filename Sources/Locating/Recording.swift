/// The sightings that the gateways of a site received over some time, in order of time.
public struct Recording: Hashable, Sendable {
    /// One sighting: one beacon received once by one gateway.
    public struct Row: Hashable, Sendable {
        /// When, in milliseconds on the recording's own clock.
        public var milliseconds: Int64
        /// The gateway's id.
        public var gateway: String
        /// The item's id, or any name of the beacon.
        public var beacon: String
        /// dBm.
        public var rssi: Double

        /// A sighting with all its properties.
        public init(milliseconds: Int64, gateway: String, beacon: String, rssi: Double) {
            self.milliseconds = milliseconds
            self.gateway = gateway
            self.beacon = beacon
            self.rssi = rssi
        }
    }

    /// The sightings; of one moment, in the order of the file.
    public let rows: [Row]

    /// The sightings in order of time, whatever order they come in.
    public init(rows: [Row]) {
        self.rows = rows.enumerated()
            .sorted { ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset) }
            .map(\.element)
    }

    /// The received beacons, in order of their names.
    public var beacons: [String] { Set(rows.map(\.beacon)).sorted() }
}
