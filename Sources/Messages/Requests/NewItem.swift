import Beacons

/// The request `request/items/add`: adds an item to the registry.
package struct NewItem: Body {
    /// The item. Without notification settings, it gets those of a configured item without `notify`.
    package var item: RegistryItem

    package init(_ item: RegistryItem) { self.item = item }

    package func writeFields(to json: inout JSONWriter) { item.writeFields(to: &json) }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try RegistryItem(id: try fields.requestedID(), others: &fields)
        try item.notify?.checkHours()
    }
}

extension RegistryItem {
    /// The keys in which the item differs from a requested one. What the request leaves out may be anything.
    func keys(differingFrom requested: NewItem) -> [String] {
        let (other, asked, own) = (
            requested.item, requested.item.ownership ?? Ownership(), ownership ?? Ownership()
        )
        let differences: [(key: String, differs: Bool)] = [
            ("name", name.visible != other.name.visible), ("uuid", beacon.uuid != other.beacon.uuid),
            ("major", beacon.major != other.beacon.major), ("minor", beacon.minor != other.beacon.minor),
            ("measured_power_dbm", ![nil, measuredPower].contains(other.measuredPower)),
            ("sleeps", other.sleeps && !sleeps), ("notify", ![nil, notify].contains(other.notify)),
            ("owners", ![[], own.owners].contains(asked.owners)),
            ("needed", ![nil, own.needed].contains(asked.needed)),
            ("not_alone_in", ![[], own.notAloneIn].contains(asked.notAloneIn)),
        ]
        return differences.filter(\.differs).map(\.key)
    }
}
