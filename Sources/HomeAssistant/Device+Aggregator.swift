import Messages

extension Device {
    /// The aggregator's device with the site's problems and size; the parent of all other devices.
    package static func aggregator(version: String, under prefix: TopicPrefix) -> Device {
        let availability = Topic.aggregatorAvailability.name(under: prefix)
        let info = Topic.aggregatorInfo.name(under: prefix)
        return Device(
            id: .aggregator, name: "Forgetmenot", model: "Aggregator", modelID: "forgetmenot", version: version,
            slug: "forgetmenot",
            hasParent: false,
            makeEntities: {
                [
                    Entity(
                        key: "connectivity", platform: .binarySensor, name: "Connectivity", category: .diagnostic,
                        body: { $0.connectivity(availability) }),
                    Entity(
                        key: "problem", platform: .binarySensor, name: "Problem", availability: [availability],
                        category: .diagnostic
                    ) { json in
                        json.reading(info, Templates.problem)
                        json.field("device_class", "problem")
                        json.field("json_attributes_topic", info)
                        json.field("json_attributes_template", Templates.problems)
                    },
                    Entity(
                        key: "items", platform: .sensor, name: "Items", availability: [availability],
                        category: .diagnostic
                    ) { json in
                        json.reading(info, Templates.items)
                        json.measurement("items")
                        json.field("icon", "mdi:tag-multiple")
                    },
                    Entity(
                        key: "gateways_alive", platform: .sensor, name: "Gateways alive", availability: [availability],
                        category: .diagnostic
                    ) { json in
                        json.reading(info, Templates.gatewaysAlive)
                        json.measurement("gateways")
                        json.field("icon", "mdi:router-wireless")
                    },
                ]
            })
    }
}
