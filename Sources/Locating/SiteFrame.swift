/// A site in numbers: its gateways and rooms by index.
struct SiteFrame {
    /// Each id once.
    let gateways: [Site.Gateway]
    let gatewayIndices: [String: Int]
    /// The rooms' names, each once.
    let rooms: [String]
    let roomIndices: [String: Int]
    /// The rooms that each gateway serves: one, none, or several if it is between them.
    let served: [[Int]]
    /// The same as pairs, which are gone through without an array for each gateway.
    let services: [(gateway: Int, room: Int)]

    init(_ site: Site) {
        var indices: [String: Int] = [:]
        var gateways: [Site.Gateway] = []
        for gateway in site.gateways where indices[gateway.id] == nil {
            indices[gateway.id] = gateways.count
            gateways.append(gateway)
        }
        let rooms = site.everyRoom.map(\.name)
        let roomIndices = Dictionary(uniqueKeysWithValues: rooms.enumerated().map { ($1, $0) })
        self.gateways = gateways
        gatewayIndices = indices
        self.rooms = rooms
        self.roomIndices = roomIndices
        let served = gateways.map { Set($0.rooms.compactMap { roomIndices[$0] }).sorted() }
        self.served = served
        services = served.enumerated().flatMap { gateway, rooms in rooms.map { (gateway, $0) } }
    }

    /// By room, whether one of its gateways is among those that listen.
    func attended(by listening: [Bool]) -> [Bool] {
        var attended = Array(repeating: false, count: rooms.count)
        for (gateway, room) in services where listening[gateway] { attended[room] = true }
        return attended
    }
}
