import Beacons

extension Ranger {
    /// How a ranger reckons.
    public struct Settings: Hashable, Sendable {
        /// How the last seconds become one level.
        public var filter: Filter
        /// How a level becomes a distance.
        public var pathLoss: PathLoss
        /// Added to each RSSI before a distance is estimated, in dB: what this gateway's antenna lacks.
        public var rssiOffset: Double
        /// How many beacons are remembered that only a wildcard region names; of more, the newcomer is refused and counted.
        public var memberLimit: Int

        /// Settings, each with the default of the configuration.
        public init(
            filter: Filter = .standard, pathLoss: PathLoss = .standard, rssiOffset: Double = 0, memberLimit: Int = 1000
        ) {
            self.filter = filter
            self.pathLoss = pathLoss
            self.rssiOffset = rssiOffset
            self.memberLimit = max(1, memberLimit)
        }
    }
}
