import Messages

/// What Home Assistant was told of a writer's devices, so that each change is told once, and what is gone is taken back once: an empty payload
/// for a device that Home Assistant does not know is a warning in its log.
public struct Announcer: Sendable {
    /// What was told of one device.
    private struct Told {
        var payload: [UInt8]
        var device: Device
    }

    private let origin: Device.Origin
    private let version: String
    private let prefix: TopicPrefix
    private var told: [DeviceID: Told] = [:]
    /// What the broker held of ours when we came, from an earlier time; gathered until the first announcement.
    private var found: Set<DeviceID> = []
    private var isGathering = true
    /// What others of us speak for themselves: a gateway that has its own discovery switched on.
    private var others: Set<DeviceID> = []

    /// Nothing was told yet.
    public init(_ origin: Device.Origin, version: String, under prefix: TopicPrefix) {
        self.origin = origin
        self.version = version
        self.prefix = prefix
    }

    /// The broker or Home Assistant may have forgotten everything: all is to be told anew.
    public mutating func begin() {
        for id in told.keys { told[id]?.payload = [] }
        isGathering = true
    }

    /// Takes note of what the broker holds on a device's topic; others' devices are none of ours.
    public mutating func take(_ payload: [UInt8], of id: DeviceID) {
        if payload.isEmpty {
            found.remove(id)
            others.remove(id)
            // Somebody else cleared it: it is told again.
            told[id]?.payload = []
        } else if payload != told[id]?.payload, let writer = Device.origin(of: payload) {
            if writer != origin {
                others.insert(id)
            } else if isGathering, told[id] == nil {
                found.insert(id)
            }
        }
    }

    /// What is to be published for Home Assistant to know these devices, and no other of ours, in an order in which no child comes before its
    /// parent.
    public mutating func announce(_ devices: [Device]) -> [ForeignMessage] {
        var messages: [ForeignMessage] = []
        let devices = devices.filter { !others.contains($0.id) }
        for device in devices {
            let payload = device.payload(by: origin, version: version)
            let former = told[device.id]
            guard former?.payload != payload else { continue }
            let components = device.components
            let gone = (former?.device.components ?? [:]).filter { components[$0.key] == nil }
            if !gone.isEmpty {
                messages.append(
                    message(device.id, device.payload(by: origin, version: version, without: gone)))
            }
            messages.append(message(device.id, payload))
            told[device.id] = Told(payload: payload, device: device)
        }
        let wanted = Set(devices.map(\.id))
        let gone = Set(told.keys).union(found).subtracting(wanted)
        for id in gone.sorted(by: { $0.text < $1.text }) {
            defer { told[id] = nil }
            guard !others.contains(id) else { continue }
            if let device = told[id]?.device, device.hasDisabled {
                messages.append(message(id, device.payload(by: origin, version: version, isLeaving: true)))
            }
            messages.append(message(id, []))
        }
        found = []
        isGathering = false
        return messages
    }

    private func message(_ id: DeviceID, _ payload: [UInt8]) -> ForeignMessage {
        ForeignMessage(topic: HomeAssistantTopic.device(id).name(under: prefix), payload: payload, isRetained: true)
    }
}
