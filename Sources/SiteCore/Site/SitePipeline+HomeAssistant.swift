import Beacons
import HomeAssistant
import Messages

/// What Home Assistant is told, and what it says.
extension SitePipeline {
    /// How often readers of the `mqtt_room` kind are told where an item is: they forget it after a while.
    static let roomPeriod = Interval.seconds(10)

    /// Whether events may be published: not while Home Assistant still takes in what they belong to.
    var eventsMayGo: Bool { isActive && now.instant >= announcements.eventsWaitUntil }

    /// Takes a message of Home Assistant's own topics; whether it was one.
    mutating func take(homeAssistant name: String, _ payload: [UInt8], isRetained: Bool) -> Bool {
        guard let topic = HomeAssistantTopic(named: name, under: announcements.prefix) else { return false }
        switch topic {
        case .status:
            // Of before our connect it says nothing new; a stop of Home Assistant's concerns nobody.
            guard announcements.isOn, !isRetained, payload.elementsEqual("online".utf8) else { return true }
            announcements.birth(at: now.instant, settled: settlesAt)
        case .device(let id):
            takeAnnouncement(payload, of: id)
        }
        return true
    }

    /// Takes what stands on the topic of a device of ours, and reports at once what is foreign.
    private mutating func takeAnnouncement(_ payload: [UInt8], of id: DeviceID) {
        guard let problems = announcements.take(payload, of: id, isWanted: isAnnounced(id), at: now.instant) else {
            return
        }
        for problem in problems { outputs.append(.note(problem)) }
        publishInfo()
    }

    /// Whether a device is one of those that are announced now.
    private func isAnnounced(_ id: DeviceID) -> Bool {
        guard announcements.isOn else { return false }
        switch id {
        case .aggregator: return true
        case .gateway(let gateway): return gateways[gateway] != nil
        case .item(let item): return registry.items[item] != nil
        }
    }

    /// Announces what has changed. After Home Assistant has started, all states follow the announcement.
    mutating func announceIfDue() {
        guard announcements.isDue(at: now.instant) else { return }
        let (settings, gateways) = (configuration.site, gateways)
        let site = Announcements.Site(items: registry.items, gateways: gateways) { id in
            settings.gateways.first { $0.id == id }?.room ?? gateways[id]?.room
        }
        for message in announcements.announce(site, at: now.instant) { outputs.append(.publishElsewhere(message)) }
        guard announcements.takeBirth() else { return }
        publish(Message(.aggregatorAvailability, .online))
        publishStates()
    }

    /// Says where an item is as `mqtt_room` reads it, if that is wanted: again and again, since its readers keep nothing.
    mutating func sayRoomIfDue(_ record: inout ItemRecord) {
        guard let settings = configuration.roomMessages, let published = record.published,
            let publishedAt = record.publishedAt, let message = RoomMessage(published)
        else { return }
        if let saidAt = record.roomSaidAt, publishedAt < saidAt, now.instant - saidAt < Self.roomPeriod { return }
        record.roomSaidAt = now.instant
        outputs.append(
            .publishElsewhere(message.message(under: settings.prefix ?? "\(prefix)/rooms")))
    }
}
