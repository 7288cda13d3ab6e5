import Beacons

/// The request `request/regions/add`: adds a region that every gateway monitors.
package struct NewRegion: Body {
    package var region: Region

    package init(_ region: Region) { self.region = region }

    package func writeFields(to json: inout JSONWriter) { region.writeFields(to: &json) }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        region = try Region(id: try fields.requestedID(), others: &fields)
    }
}
