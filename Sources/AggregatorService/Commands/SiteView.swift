import Beacons
import Linux
import Messages

/// What a command knows of the site from the broker's retained topics.
struct SiteView {
    /// Where each item is, by id.
    private(set) var locations: [String: ItemLocation] = [:]
    private(set) var items: [String: RegistryItem] = [:]
    private(set) var regions: [String: RegistryRegion] = [:]
    private(set) var gateways: [String: (availability: Availability?, info: GatewayInfo?)] = [:]
    private(set) var aggregator: Availability?
    private(set) var aggregatorInfo: AggregatorInfo?

    init() {}

    init(_ kept: [Topic: [UInt8]]) {
        for (topic, payload) in kept { take(topic, payload) }
    }

    /// Takes one message; returns the location that changed with it, if one did.
    @discardableResult
    mutating func take(_ topic: Topic, _ payload: [UInt8]) -> ItemLocation? {
        switch topic {
        case .itemLocation(let item):
            locations[item] = payload.isEmpty ? nil : try? ItemLocation(parsing: payload, on: topic)
            return locations[item]
        case .registryItem(let item):
            items[item] = payload.isEmpty ? nil : try? RegistryItem(parsing: payload, on: topic)
        case .registryRegion(let region):
            regions[region] = payload.isEmpty ? nil : try? RegistryRegion(parsing: payload, on: topic)
        case .gatewayAvailability(let id):
            gateways[id, default: (nil, nil)].availability = Availability(parsing: payload)
            if payload.isEmpty, gateways[id]?.info == nil { gateways[id] = nil }
        case .gatewayInfo(let id):
            gateways[id, default: (nil, nil)].info = try? GatewayInfo(parsing: payload, on: topic)
            if payload.isEmpty, gateways[id]?.availability == nil { gateways[id] = nil }
        case .aggregatorAvailability:
            aggregator = Availability(parsing: payload)
        case .aggregatorInfo:
            aggregatorInfo = try? AggregatorInfo(parsing: payload, on: topic)
        default: break
        }
        return nil
    }

    /// Whether somebody keeps the locations true.
    var isAggregatorAlive: Bool { aggregator == .online }

    /// The items' locations by name.
    var sorted: [ItemLocation] {
        locations.values.sorted { ($0.name.lowercased(), $0.item) < ($1.name.lowercased(), $1.item) }
    }

    /// The location of the item with this id, or exactly this name.
    func location(named word: String) -> ItemLocation? {
        locations[word] ?? sorted.first { $0.name == word }
    }
}

/// What is said once where nobody keeps the locations true.
let aggregatorWarning =
    "forgetmenot: the aggregator is not running: these are the last known locations, start \"forgetmenot run\""
