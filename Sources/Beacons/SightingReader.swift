/// Reads sightings from advertisements, and counts every one: a sighting or a refusal by name.
public struct SightingReader: Sendable {
    /// What it was handed so far; `adverts` is the number of calls of `read`.
    @usableFromInline var counted = ScanCounters()

    /// A reader that has read nothing.
    @inlinable
    public init() {}

    /// What became of all that it was handed.
    @inlinable
    public var counters: ScanCounters { counted }

    /// The beacon heard in this advertisement; `nil`, and counted by its reason, if there is none.
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
