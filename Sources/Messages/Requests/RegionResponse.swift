/// The response to `request/regions/add` and `request/regions/remove`: the region that was added or removed.
package struct RegionResponse: Body {
    package var region: RegistryRegion

    package init(region: RegistryRegion) {
        self.region = region
    }

    package func writeFields(to json: inout JSONWriter) {
        json.object("region", region)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        region = try fields.entry("region")
    }
}
