import Beacons

/// What stands on the topics of our devices that none of us would have written.
struct ForeignDevices: Sendable {
    /// More are not noted; a site has one topic for each gateway's access.
    static let most = 256
    /// So long something foreign stays a problem after it was seen last, so that a person learns of what was cleared at once.
    static let memory = Interval.seconds(3600)

    private struct Stranger {
        /// Of the payload that was judged last.
        var hash: Int
        /// Of the first payload: one that is another each second shall not be a new problem each second.
        var reason: String
        var seenAt: Instant
        var stands: Bool
    }

    private var strangers: [DeviceID: Stranger] = [:]
    private var isFull = false

    /// The devices in whose place something foreign stands now.
    var standing: [DeviceID] { strangers.filter(\.value.stands).map(\.key) }

    func stands(_ id: DeviceID) -> Bool { strangers[id]?.stands ?? false }

    mutating func take(_ payload: [UInt8], of id: DeviceID, _ reason: String, at now: Instant) {
        strangers = strangers.filter { $0.value.stands || now - $0.value.seenAt < Self.memory }
        guard strangers.count < Self.most || strangers[id] != nil else {
            isFull = true
            return
        }
        strangers[id] = Stranger(
            hash: payload.hashValue, reason: strangers[id]?.reason ?? reason, seenAt: now, stands: true)
    }

    /// Whether the same was judged foreign before: it need not be judged again.
    mutating func isKnown(_ payload: [UInt8], of id: DeviceID, at now: Instant) -> Bool {
        guard strangers[id]?.hash == payload.hashValue else { return false }
        strangers[id]?.seenAt = now
        strangers[id]?.stands = true
        return true
    }

    /// Nothing foreign stands there any longer; whether something did.
    @discardableResult
    mutating func isGone(_ id: DeviceID) -> Bool {
        defer { strangers[id]?.stands = false }
        return stands(id)
    }

    /// What stands there comes again with the next connection.
    mutating func connectionLost() {
        for id in strangers.keys { strangers[id]?.stands = false }
    }

    /// Each in a sentence, by id.
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
    /// Whether it is one that a gateway may announce itself.
    var isGateway: Bool { if case .gateway = self { true } else { false } }
}
