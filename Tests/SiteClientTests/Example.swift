import Beacons

/// A beacon and a time for tests of commands.
enum Example {
    static let bag = BeaconIdentity(uuid: BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!, major: 1, minor: 2)
    static let start = WallTime("2026-11-21T05:40:00Z")!
    static let now = Moment(instant: .zero + .seconds(1000), wall: start, isSynchronised: true)
}
