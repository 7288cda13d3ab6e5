import Beacons
import Messages

/// Which items have records, if several aggregators divide the site among themselves.
extension ItemLocations {
    /// Receives the shares of an aggregator.
    mutating func receive(
        shares payload: [UInt8], of aggregator: String, _ registry: SiteRegistry, _ effects: inout SiteEffects
    ) throws(PayloadRefusal) {
        if try division.receive(shares: payload, of: aggregator, &effects) { divisionChanged(registry, &effects) }
    }

    /// Lets time pass for the division of the site; returns whether all locations are to be published again.
    mutating func advanceDivision(_ registry: SiteRegistry, _ effects: inout SiteEffects) -> Bool {
        if division.advance(&effects) { divisionChanged(registry, &effects) }
        return division.repeatsLocations(at: effects.now.instant)
    }

    /// Follows another division of the site: items of others are theirs without an event, and new ones begin as unknown.
    private mutating func divisionChanged(_ registry: SiteRegistry, _ effects: inout SiteEffects) {
        let former = Set(keys)
        match(registry, &effects)
        for (id, item) in registry.items {
            if !division.isOwn(item.beacon) {
                effects.devices.append(.disownedItem(id))
            } else if !former.contains(id) {
                effects.devices.append(.changedItem(id))
            }
        }
        lookAtAll(at: effects.now.instant)
        effects.unwritten.isEverything = true
        effects.add(.storeSite)
        effects.infoChanged()
    }
}
