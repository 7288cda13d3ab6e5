extension Learning {
    /// dB: a gateway with so much more RSSI than the gateways of all other rooms is in the item's room.
    private static let strong = 10.0
    /// Seconds of such samples that a room's gateway needs.
    private static let fewest = 5.0
    /// The share of these samples that may be estimated as another room.
    private static let tolerated = 0.3

    /// The rooms whose fingerprints are wrong: the model estimates them while a gateway of another room is far above all other gateways.
    ///
    /// Two halves of the past can agree on a wrong room. This check uses evidence that neither half has learned.
    func contradicted(by model: LocatorModel) -> Set<String> {
        let rooms = stateSpace.frame.rooms
        var strong = Array(repeating: 0.0, count: rooms.count)
        var taken = Array(repeating: 0.0, count: rooms.count * rooms.count)
        for window in windows where window.room == nil {
            var transitions: [Double] = []
            let believed = smooth(window.moments, model, counts: &transitions)
            for (index, moment) in window.moments.enumerated() {
                guard let owner = owner(of: moment) else { continue }
                strong[owner] += moment.seconds
                for room in rooms.indices where room != owner {
                    taken[owner * rooms.count + room] += moment.seconds * believed[index][room]
                }
            }
        }
        var refused = Set<String>()
        for owner in rooms.indices where strong[owner] > Self.fewest {
            for room in rooms.indices where taken[owner * rooms.count + room] > Self.tolerated * strong[owner] {
                refused.insert(rooms[room])
            }
        }
        return refused
    }

    /// The room whose gateway is far above the gateways of all other rooms.
    private func owner(of moment: TrainingSample) -> Int? {
        var best = (rssi: -Double.infinity, room: -1)
        var second = -Double.infinity
        for (gateway, rssi) in moment.observation.received {
            // A gateway between rooms is evidence for none of them alone.
            guard stateSpace.frame.served[gateway].count == 1, let room = stateSpace.frame.served[gateway].first else {
                continue
            }
            if room == best.room {
                best.rssi = max(best.rssi, rssi)
            } else if rssi > best.rssi {
                (second, best) = (best.rssi, (rssi, room))
            } else {
                second = max(second, rssi)
            }
        }
        return second > -.infinity && best.rssi - second >= Self.strong ? best.room : nil
    }
}
