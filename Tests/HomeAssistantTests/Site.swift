import Beacons
import HomeAssistant
import Messages
import Text

/// The site in the tests of discovery.
enum Site {
    static let bag = RegistryItem(
        id: "laptop-bag", name: "Laptop bag",
        beacon: BeaconIdentity(uuid: BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!, major: 1, minor: 2))
    static let kitchen = KnownGateway(id: "kitchen", room: "Kitchen", version: "1.0.0")
    static let hall = KnownGateway(id: "hall.2", room: "Hall")
    static let bags = Region(
        id: "bags", identifier: "Bags",
        scope: .major(BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!, 1))
    static let key = Region(id: "key", identifier: "Key", scope: .beacon(bag.beacon))

    static let devices: [Device] = [
        .aggregator(version: "1.0.0", under: .standard),
        Device(gateway: kitchen, hasParent: true, under: .standard),
        Device(gateway: hall, regions: [bags, key], hasParent: false, under: .standard),
        Device(item: bag, receivedBy: [kitchen.id, hall.id], under: .standard),
        Device(item: odd, receivedBy: [], under: .standard),
        Device(item: keys, receivedBy: [], battery: .percent, under: .standard),
        Device(item: wallet, receivedBy: [], battery: .voltage, under: .standard),
    ]
    /// Items whose tags report their batteries.
    static let keys = RegistryItem(
        id: "keys", name: "Keys", beacon: BeaconIdentity(uuid: bag.beacon.uuid, major: 1, minor: 4))
    static let wallet = RegistryItem(
        id: "wallet", name: "Wallet", beacon: BeaconIdentity(uuid: bag.beacon.uuid, major: 1, minor: 5))
    /// The devices that an aggregator announces: the parent, a gateway and an item.
    static let ours = [devices[0], devices[1], devices[3]]
    /// An item whose id has all permitted characters, and whose name has none of them.
    static let odd = RegistryItem(
        id: "a.b_c-1", name: "电脑包 \"<&{{", beacon: BeaconIdentity(uuid: bag.beacon.uuid, major: 1, minor: 3))
}

/// A discovery payload as read by Home Assistant.
struct Payload {
    let object: JSONObject

    init(_ device: Device, in texts: Texts = .english, without gone: [String: String] = [:]) throws {
        let bytes = device.payload(by: .aggregator, version: "1.0.0", in: texts, without: gone)
        object = try JSONValue(parsing: bytes, limits: .list).object!
    }

    var device: JSONObject { object["dev"]!.object! }
    var components: [(key: String, fields: JSONObject)] {
        object["cmps"]!.object!.members.map { ($0.key, $0.value.object!) }
    }
    func component(_ key: String) -> JSONObject? { object["cmps"]!.object![key]?.object }
}

extension JSONObject {
    func text(_ key: String) -> String? { self[key]?.string }
    /// All texts of a key at any depth.
    func texts(_ isRequested: (String) -> Bool) -> [String] {
        members.flatMap { member -> [String] in
            if isRequested(member.key), let text = member.value.string { return [text] }
            if let object = member.value.object { return object.texts(isRequested) }
            return (member.value.array ?? []).flatMap { $0.object?.texts(isRequested) ?? [] }
        }
    }
}
