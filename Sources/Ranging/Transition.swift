import Beacons

/// What a step of a ``Monitor`` brought about.
public enum Transition: Hashable, Sendable {
    /// One beacon's state changed.
    case beacon(BeaconTransition)
    /// The state of a region with topics of its own changed; implicit regions are silent, their beacon says it already.
    case region(RegionTransition)
    /// Nothing changed, but the radio shall be proven: exits wait for ``Monitor/proven(at:)``, or for the news that it is blind.
    case proofWanted

    /// What is told as an event, and not only as a state.
    public enum Event: String, Sendable {
        /// It came into range.
        case enter
        /// It went out of range.
        case exit
    }
}
