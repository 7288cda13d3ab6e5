import Beacons

/// The foreign payloads on the topics of this project's devices.
struct ForeignDevices: Sendable {
    /// The limit of stored devices; a site has one topic per gateway with access.
    static let most = 256
    /// How long a foreign payload is reported after it was last seen, so that users notice payloads that are cleared at
    /// once.
    static let memory = Interval.seconds(3600)

    private struct Stranger {
        /// The hash of the last checked payload.
        var hash: Int
        /// The reason for the first payload. A payload that changes each second must not be a new problem each second.
        var reason: String
        var seenAt: Instant
        var stands: Bool
    }

    private var strangers: [DeviceID: Stranger] = [:]
    private var isFull = false

    var standing: [DeviceID] { strangers.filter(\.value.stands).map(\.key) }

    func stands(_ id: DeviceID) -> Bool { strangers[id]?.stands ?? false }

    mutating func note(_ payload: [UInt8], of id: DeviceID, _ reason: String, at now: Instant) {
        strangers = strangers.filter { $0.value.stands || now - $0.value.seenAt < Self.memory }
        guard strangers.count < Self.most || strangers[id] != nil else {
            isFull = true
            return
        }
        strangers[id] = Stranger(
            hash: payload.hashValue, reason: strangers[id]?.reason ?? reason, seenAt: now, stands: true)
    }

    /// Whether an equal payload was checked before, so that it need not be checked again.
    mutating func isKnown(_ payload: [UInt8], of id: DeviceID, at now: Instant) -> Bool {
        guard strangers[id]?.hash == payload.hashValue else { return false }
        strangers[id]?.seenAt = now
        strangers[id]?.stands = true
        return true
    }

    /// Records that the foreign payload is gone; returns whether there was one.
    @discardableResult
    mutating func isGone(_ id: DeviceID) -> Bool {
        defer { strangers[id]?.stands = false }
        return stands(id)
    }

    /// Handles a lost connection: existing payloads arrive again with the next one.
    mutating func connectionLost() {
        for id in strangers.keys { strangers[id]?.stands = false }
    }

    /// The foreign payloads, each in a sentence, ordered by device id.
    func problems(at now: Instant) -> [String] {
        let present = strangers.filter { $0.value.stands || now - $0.value.seenAt < Self.memory }
        let sentences = present.sorted { $0.key.text < $1.key.text }.map { id, stranger in
            let writer = if case .gateway(let gateway) = id { "Gateway \(gateway)" } else { "Somebody" }
            return "\(writer) announced a device to Home Assistant that is not ours (\(id.text): \(stranger.reason)): "
                + "check who has its password"
        }
        return sentences
            + (isFull ? ["More than \(Self.most) devices of Home Assistant's under our ids are not ours"] : [])
    }
}

extension DeviceID {
    /// Whether a gateway may announce this device itself.
    var isGateway: Bool { if case .gateway = self { true } else { false } }
}
