extension Learning {
    /// dB above the gateways of all other rooms, from which on a gateway is taken to be in the item's room.
    private static let strong = 10.0
    /// Seconds of such moments below which a room's gateway says nothing.
    private static let fewest = 5.0
    /// The share of these moments that another room may take.
    private static let tolerated = 0.3

    /// The rooms that a model finds likely where a gateway of another room is far above all the others: what was learned of them is wrong.
    ///
    /// Two halves of the past agree on a wrong room, too; this asks what neither of them has learned.
    func contradicted(by model: LocatorModel) -> Set<String> {
        let rooms = ground.frame.rooms
        var strong = Array(repeating: 0.0, count: rooms.count)
        var taken = Array(repeating: 0.0, count: rooms.count * rooms.count)
        for window in windows where window.room == nil {
            var ways: [Double] = []
            let believed = smooth(window.moments, model, taken: &ways)
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

    /// The room whose gateway is far above those of all other rooms.
    private func owner(of moment: Moment) -> Int? {
        var best = (level: -Double.infinity, room: -1)
        var second = -Double.infinity
        for (gateway, level) in moment.hearing.heard {
            // A gateway between rooms is evidence for none of them alone.
            guard ground.frame.served[gateway].count == 1, let room = ground.frame.served[gateway].first else {
                continue
            }
            if room == best.room {
                best.level = max(best.level, level)
            } else if level > best.level {
                (second, best) = (best.level, (level, room))
            } else {
                second = max(second, level)
            }
        }
        return second > -.infinity && best.level - second >= Self.strong ? best.room : nil
    }
}
