/// The gateways and rooms of a site, by index.
struct SiteFrame {
    /// Each id once.
    let gateways: [Site.Gateway]
    let gatewayIndices: [String: Int]
    /// The rooms' names, each once.
    let rooms: [String]
    let roomIndices: [String: Int]
    /// The rooms of each gateway: one, none, or several if the gateway is between rooms.
    let served: [[Int]]
    /// The same as pairs, which need no array per gateway.
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

    /// The index of a room of a former site: that of the same name, or, if that is gone, of the one room of a gateway that had only this room. Then the
    /// room was renamed, perhaps gateway by gateway.
    func index(ofRoom room: Int, of former: SiteFrame) -> Int? {
        if let index = roomIndices[former.rooms[room]] { return index }
        for (gateway, rooms) in former.served.enumerated() where rooms == [room] {
            guard let now = gatewayIndices[former.gateways[gateway].id], served[now].count == 1 else { continue }
            return served[now][0]
        }
        return nil
    }

    /// By room, whether one of its gateways scans.
    func scannedRooms(by isScanning: (Int) -> Bool) -> [Bool] {
        var scannedRooms = Array(repeating: false, count: rooms.count)
        for (gateway, room) in services where isScanning(gateway) { scannedRooms[room] = true }
        return scannedRooms
    }
}
