import Beacons

/// The response to `request/items/add` and `request/items/remove`: the item that was added or removed.
package struct ItemResponse: Body {
    package var item: RegistryItem

    package init(item: RegistryItem) {
        self.item = item
    }

    package func writeFields(to json: inout JSONWriter) {
        json.object("item", item)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.entry("item")
    }
}

/// The response to `request/regions/add` and `request/regions/remove`: the region that was added or removed.
package struct RegionResponse: Body {
    package var region: Region

    package init(region: Region) {
        self.region = region
    }

    package func writeFields(to json: inout JSONWriter) {
        json.object("region", region)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        region = try fields.entry("region")
    }
}
