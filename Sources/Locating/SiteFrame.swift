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

    /// By room of a former site, the index of the room in which its items are now; `nil`: nobody knows.
    ///
    /// That is the room of the same name. If the name is gone, it is the one room of a gateway that had only the former room. If other gateways have
    /// the name now, and the room's own gateways share another name with nobody, the rooms have exchanged their names.
    func heirs(of former: SiteFrame) -> [Int?] {
        var heirs = former.rooms.map { roomIndices[$0] }
        var moves: [(from: Int, to: Int)] = []
        for (gateway, rooms) in former.served.enumerated() where rooms.count == 1 {
            guard let now = gatewayIndices[former.gateways[gateway].id], served[now].count == 1 else { continue }
            if heirs[rooms[0]] != served[now][0] { moves.append((rooms[0], served[now][0])) }
        }
        for (from, to) in moves {
            let namesake = roomIndices[former.rooms[from]]
            let together = moves.count { $0.from == from && $0.to == to }
            let isExchanged =
                former.services.count { $0.room == from } == together && services.count { $0.room == to } == together
                && services.contains { $0.room == namesake }
                && former.roomIndices[rooms[to]].map { room in former.services.contains { $0.room == room } } ?? true
            if namesake == nil ? heirs[from] == nil : isExchanged { heirs[from] = to }
        }
        return heirs
    }

    /// By room, whether one of its gateways scans.
    func scannedRooms(by isScanning: (Int) -> Bool) -> [Bool] {
        var scannedRooms = Array(repeating: false, count: rooms.count)
        for (gateway, room) in services where isScanning(gateway) { scannedRooms[room] = true }
        return scannedRooms
    }
}

extension Site {
    /// The rooms in which the items of a former site's rooms are now, where that is not the room of the same name.
    package func heirs(of former: Site) -> [String: String] {
        let (before, now) = (SiteFrame(former), SiteFrame(self))
        let pairs = zip(before.rooms, now.heirs(of: before)).map { ($0, $1.map { now.rooms[$0] } ?? $0) }
        return Dictionary(uniqueKeysWithValues: pairs.filter { $0 != $1 })
    }
}
