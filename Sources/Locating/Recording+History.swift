import Beacons

extension Recording {
    /// The RSSI history of each beacon, for learning without labels.
    package func histories(site: Site) -> [RSSIHistory] {
        histories(model: LocatorModel(site: site)) { _, _ in "" }.flatMap { $0.values }
    }

    /// The RSSI histories, divided by the rooms in which each beacon really was.
    package func surveys(site: Site, truth: Truth) -> [Survey] {
        let rows = Dictionary(grouping: truth.rows, by: \.beacon)
        return histories(model: LocatorModel(site: site)) { beacon, milliseconds in
            rows[beacon]?.room(at: milliseconds)
        }.flatMap { rooms in rooms.keys.sorted().map { Survey(room: $0, history: rooms[$0]!) } }
    }

    /// For each beacon, its history divided by the name that `part` returns for each moment. Moments without a name are left out.
    private func histories(
        model: LocatorModel, part: (String, Int64) -> String?
    ) -> [[String: RSSIHistory]] {
        guard let begin = rows.first?.milliseconds else { return [] }
        let index = Dictionary(uniqueKeysWithValues: beacons.enumerated().map { ($1, $0) })
        var scanning = Locator(model: model)
        for gateway in model.gateways.indices { scanning.scans(gateway: gateway, since: .zero) }
        var locators = index.map { _ in scanning }
        var histories = index.map { _ in [String: RSSIHistory]() }
        for (number, row) in rows.enumerated() {
            guard let item = index[row.beacon], let gateway = model.index(ofGateway: row.gateway) else { continue }
            let now = Instant(milliseconds: row.milliseconds - begin)
            locators[item].report(gateway: gateway, rssi: row.rssi, at: now)
            // All rows of one moment are added first.
            if rows.indices.contains(number + 1), rows[number + 1].milliseconds == row.milliseconds { continue }
            guard let name = part(row.beacon, row.milliseconds) else { continue }
            histories[item][name, default: RSSIHistory(gateways: model.gateways)].append(locators[item], at: now)
        }
        return histories
    }
}

extension [Truth.Row] {
    /// The room of the last row up to a moment; of the first before it.
    fileprivate func room(at milliseconds: Int64) -> String? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].milliseconds <= milliseconds { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self[low - 1].room : first?.room
    }
}
