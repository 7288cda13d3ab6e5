/// Reads sightings from advertisements and counts each advertisement as a sighting or as a refusal by name.
public struct SightingReader: Sendable {
    /// The counts so far; `adverts` is the number of calls of `read`.
    @usableFromInline var counted = ScanCounters()

    /// Creates a reader with counters of zero.
    @inlinable
    public init() {}

    /// The counts of all advertisements that the reader has received.
    @inlinable
    public var counters: ScanCounters { counted }

    /// Returns the sighting in the advertisement. If there is none, `read` counts the refusal and returns `nil`.
    @inlinable
    public mutating func read(_ advertisement: Advertisement, _ data: RawSpan) -> Sighting? {
        switch BeaconFrame.read(data) {
        case .success(let frame):
            counted.countSighting()
            return Sighting(
                beacon: frame.identity, rssi: advertisement.rssi, measuredPower: frame.measuredPower,
                address: advertisement.address, at: advertisement.at)
        case .failure(let refusal):
            counted.count(refusal)
            return nil
        }
    }
}
