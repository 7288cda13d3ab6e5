import Beacons

/// The response to a request that adds, changes or removes an item, a region or a person: that entry, under its key.
package struct EntryResponse<Entry: SiteEntry>: Body {
    package var entry: Entry

    package init(_ entry: Entry) { self.entry = entry }

    package func writeFields(to json: inout JSONWriter) { json.object(Entry.key, entry) }

    package init(reading fields: inout Fields) throws(PayloadRefusal) { entry = try fields.entry("\(Entry.key)") }
}

package protocol SiteEntry: Members { static var key: StaticString { get } }

extension RegistryItem: SiteEntry { package static var key: StaticString { "item" } }
extension Region: SiteEntry { package static var key: StaticString { "region" } }
extension Person: SiteEntry { package static var key: StaticString { "person" } }

package typealias ItemResponse = EntryResponse<RegistryItem>
package typealias RegionResponse = EntryResponse<Region>
package typealias PersonResponse = EntryResponse<Person>
