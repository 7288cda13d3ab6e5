import Glibc

/// How each place of a site sounds: the level that every gateway is expected to hear there, and how far off that may be.
///
/// The belief is over places; a room is the sum of its places. Only where the signatures come from differs between the kinds of
/// knowledge about a site.
struct Signatures: Sendable {
    /// A cell of a plan, where the place is one.
    struct Cell: Hashable, Sendable {
        var point: Polygon.Point
        var floor: Int
    }

    /// How many gateways each signature has.
    let gateways: Int
    /// The room of each place.
    private(set) var rooms: [Int] = []
    /// Where each place is, on a plan.
    private(set) var cells: [Cell?] = []
    /// dBm, place by place.
    private(set) var mean: [Double] = []
    /// dB, one standard deviation, place by place.
    private(set) var spread: [Double] = []

    init(gateways: Int) {
        self.gateways = gateways
    }

    /// How many places there are.
    var count: Int { rooms.count }

    /// Adds a place.
    mutating func append(room: Int, cell: Cell? = nil, mean: [Double], spread: [Double]) {
        precondition(mean.count == gateways && spread.count == gateways)
        rooms.append(room)
        cells.append(cell)
        self.mean += mean
        self.spread += spread
    }
}
