import Messages

extension Device {
    /// Creates the device of a person, which Home Assistant's `person` can follow.
    package init(person: Person, under prefix: TopicPrefix) {
        let slug = entitySlug(person.id)
        self.init(
            id: .person(person.id), name: person.name, model: "Person", slug: slug.isEmpty ? "person" : slug,
            makeEntities: { Self.entities(ofPerson: person.id, under: prefix) })
    }

    private static func entities(ofPerson id: String, under prefix: TopicPrefix) -> [Entity] {
        let location = Topic.personLocation(person: id).name(under: prefix)
        let event = Topic.personEvent(person: id).name(under: prefix)
        let entities: [Entity] = [
            Entity(key: "tracker", platform: .deviceTracker) { json in
                json.reading(location, Templates.tracker)
                json.attributes(location, Templates.zones)
                json.field("source_type", "bluetooth_le")
                json.field("icon", "mdi:account")
            },
            .sensor("room", name: "Room", location, Templates.room, icon: "mdi:floor-plan"),
            Entity(key: "event", platform: .event, name: "Last event") { json in
                json.reading(event, Templates.personEvent)
                json.field("event_types", PersonEvent.Change.words)
                json.field("icon", "mdi:walk")
            },
        ]
        return entities.available(while: [Topic.aggregatorAvailability.name(under: prefix)])
            + PersonEvent.Change.words.map { .trigger(type: $0, subtype: "person", on: event, payload: $0) }
    }

    /// Creates the device of a room: how many persons and items are in it.
    package init(room name: String, id: String, under prefix: TopicPrefix) {
        let slug = entitySlug(id)
        self.init(
            id: .room(id), name: name, model: "Room", area: name, slug: slug.isEmpty ? "room" : slug,
            makeEntities: {
                [
                    Self.count("people", name: "People", "mdi:account-multiple", .roomPeople(room: id), prefix),
                    Self.count("items", name: "Items", "mdi:tag-multiple", .roomItems(room: id), prefix),
                ].available(while: [Topic.aggregatorAvailability.name(under: prefix)])
            })
    }

    private static func count(
        _ key: String, name: String, _ icon: String, _ topic: Topic, _ prefix: TopicPrefix
    ) -> Entity {
        Entity(key: key, platform: .sensor, name: name) { json in
            let topic = topic.name(under: prefix)
            json.reading(topic, Templates.count)
            json.attributes(topic, Templates.contents)
            json.field("state_class", "measurement")
            json.field("unit_of_measurement", key)
            json.field("icon", icon)
        }
    }
}
