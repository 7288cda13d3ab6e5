import Beacons
import Delivery
import Locating
import Messages
import Settings

// How the configuration's entries become the wire's and the locator's.

extension SiteConfiguration {
    /// The site in the form of the locator.
    ///
    /// - Parameters:
    ///   - rooms: The gateways that have appeared, with the room that each publishes. Configured gateways that never appeared are left
    ///     out, as their silence is no evidence. `nil`: all configured gateways count.
    ///   - offsets: The receiver offset in dB of each gateway that has none in the configuration.
    package func site(of rooms: [String: String?]? = nil, offsets: [String: Double] = [:]) -> Site {
        let offsets = setOffsets(over: offsets)
        let present = self.gateways.filter { rooms?.keys.contains($0.id) ?? true }
        var gateways: [Site.Gateway] = present.map { settings in
            Site.Gateway(
                id: settings.id, room: settings.room ?? rooms?[settings.id] ?? nil,
                otherRooms: settings.otherRooms,
                position: settings.position,
                height: settings.height ?? 2, floor: settings.floor,
                rssiOffset: offsets[settings.id] ?? 0)
        }
        let configured = Set(gateways.map(\.id))
        for (id, room) in (rooms ?? [:]).sorted(by: { $0.key < $1.key }) where !configured.contains(id) {
            gateways.append(Site.Gateway(id: id, room: room, rssiOffset: offsets[id] ?? 0))
        }
        return Site(rooms: self.rooms, doors: doors, gateways: gateways)
    }

    /// The receiver offsets that are set, in dB: those of `[[gateway]]` take precedence over the page's, and both over others.
    func setOffsets(over others: [String: Double]) -> [String: Double] {
        let configured = gateways.compactMap { gateway in gateway.rssiOffset.map { (gateway.id, $0) } }
        return others.merging(pageOffsets) { $1 }.merging(configured) { $1 }
    }
}
