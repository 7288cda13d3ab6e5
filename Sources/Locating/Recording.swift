/// The sightings that the gateways of a site received over some time, in order of time.
package struct Recording: Hashable, Sendable {
    /// One sighting: one beacon received once by one gateway.
    package struct Row: Hashable, Sendable {
        /// When, in milliseconds on the recording's own clock.
        package var milliseconds: Int64
        /// The gateway's id.
        package var gateway: String
        /// The item's id, or any name of the beacon.
        package var beacon: String
        /// dBm.
        package var rssi: Double

        /// A sighting with all its properties.
        package init(milliseconds: Int64, gateway: String, beacon: String, rssi: Double) {
            self.milliseconds = milliseconds
            self.gateway = gateway
            self.beacon = beacon
            self.rssi = rssi
        }
    }

    /// The sightings; of one moment, in the order of the file.
    package let rows: [Row]

    /// The sightings in order of time, whatever order they come in.
    package init(rows: [Row]) {
        self.rows = rows.enumerated()
            .sorted { ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset) }
            .map(\.element)
    }

    /// The received beacons, in order of their names.
    package var beacons: [String] { Set(rows.map(\.beacon)).sorted() }
}
