/// One observation of an item: which gateways receive the item, with which RSSI, and which gateways scan without receiving the item.
struct Observation: Sendable {
    /// The gateways that receive the item, with the smoothed RSSI in dBm.
    var received: [(gateway: Int, rssi: Double)] = []
    /// The gateways that scan, and have not received the item for a while.
    var silent: [UInt32] = []
    /// By room, whether one of its gateways scans; empty: in every room one does.
    var scannedRooms: [Bool] = []
    /// dB by which the measured power of the item's beacon is above that of a usual tag.
    var excess: Float = 0
    /// Whether a gateway received the item in the filter's last step. Beside the other flags it takes no memory.
    var isReceived = false
    var isStill = false
    /// What was learned of the power of the item's tag; `nil` before the first observation, and in learning.
    var power: TagPower?

    /// Forgets which gateways receive the item, which is needed during a step only, so that an item at rest takes no memory for it.
    mutating func forgetReports() { (received, silent) = ([], []) }

    /// Whether a gateway of the room scans. Without one, an item in that room may be received by no near gateway.
    func isScanned(_ room: Int) -> Bool { scannedRooms.isEmpty || scannedRooms[room] }
}
