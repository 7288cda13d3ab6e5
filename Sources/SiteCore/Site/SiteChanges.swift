import EventLogs
import Messages

/// Entries of the site that differ from what is on the disk.
struct UnwrittenChanges: Sendable {
    var items: Set<String> = []
    var regions: Set<String> = []
    var states: Set<String> = []
    var gateways: Set<String> = []
    var people = false
    /// Whether more may differ than is listed: the whole site is to be written.
    var isEverything = true

    mutating func note(item: String) {
        items.insert(item)
        states.insert(item)
    }
}

/// A line of `site.log`: the entries of the site that changed since the line before, with the keys of `site.json`.
///
/// A line begins with the CRC-32C of its JSON in hexadecimal. A power cut may leave a part of the last line, which is not read. Each line
/// names the `site.json` that it continues; lines of another one are not read.
package struct SiteChanges: Payload {
    /// The entries that were added or changed, in full. `configured` is empty.
    var site: StoredSite
    var removedItems: [String]
    var removedRegions: [String]
    var removedGateways: [String]

    package static var limits: JSONLimits { .ownFile }

    package func writeFields(to json: inout JSONWriter) {
        site.writeFields(to: &json)
        json.field("removed_items", removedItems)
        json.field("removed_regions", removedRegions)
        json.field("removed_gateways", removedGateways)
    }
}

extension SiteChanges {
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        site = try StoredSite(reading: &fields)
        removedItems = try fields.ids("removed_items", limit: .max)
        removedRegions = try fields.ids("removed_regions", limit: .max)
        removedGateways = try fields.ids("removed_gateways", limit: .max)
    }

    /// The line, with its end.
    var line: [UInt8] {
        let json = bytes
        let sum = String(checksum(of: json), radix: 16)
        return Array((String(repeating: "0", count: 8 - sum.count) + sum + " ").utf8) + json + [UInt8(ascii: "\n")]
    }

    /// Reads a line without its end; `nil` if the line is not what was written.
    init?(line: ArraySlice<UInt8>) {
        let (sum, json) = (line.prefix(8), Array(line.dropFirst(9)))
        guard sum.count == 8, UInt32(String(decoding: sum, as: UTF8.self), radix: 16) == checksum(of: json),
            let changes = try? SiteChanges(parsing: json)
        else { return nil }
        self = changes
    }
}

extension StoredSite {
    /// The site as it was when the last line of `site.log` was written, and how many lines are not what was written.
    ///
    /// Such a line is passed over: each line has its entries in full. A part of a line behind the last end is what a power cut leaves, and is no
    /// line.
    package func applying(log: [UInt8]) -> (site: StoredSite, unread: Int) {
        var folded = self
        var unread = 0
        var (items, regions) = (folded.items.byID(\.id), folded.regions.byID(\.id))
        var (states, gateways) = (folded.states.byID(\.id), folded.gateways.byID(\.id))
        for line in log.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            guard let changes = SiteChanges(line: line) else {
                unread += 1
                continue
            }
            guard let generation, changes.site.generation == generation else { continue }
            for id in changes.removedItems { (items[id], states[id]) = (nil, nil) }
            for id in changes.removedRegions { regions[id] = nil }
            for id in changes.removedGateways { gateways[id] = nil }
            for item in changes.site.items { items[item.id] = item }
            for region in changes.site.regions { regions[region.id] = region }
            for state in changes.site.states { states[state.id] = state }
            for gateway in changes.site.gateways { gateways[gateway.id] = gateway }
            (folded.revision, folded.origin) = (changes.site.revision, changes.site.origin)
            folded.lastPublished = changes.site.lastPublished
            if changes.site.people != nil { folded.people = changes.site.people }
            (folded.unpublished, folded.writtenAt) = (changes.site.unpublished, changes.site.writtenAt)
            (folded.messages, folded.peopleChanges) = (changes.site.messages, changes.site.peopleChanges)
        }
        folded.items = items.values.sorted { $0.id < $1.id }
        folded.regions = regions.values.sorted { $0.id < $1.id }
        folded.states = states.values.sorted { $0.id < $1.id }
        folded.gateways = gateways.values.sorted { $0.id < $1.id }
        return (folded, unread)
    }
}

extension Array {
    fileprivate func byID(_ id: (Element) -> String) -> [String: Element] {
        Dictionary(map { (id($0), $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension SitePipeline {
    /// The changes since the last call, for one line of `site.log`; `nil` if the whole site is to be written.
    mutating func drainChanges(after generation: String) -> SiteChanges? {
        effects.drainUnwritten().map { changes($0, after: generation) }
    }

    /// The entries of the site that differ from what is on the disk, for one line of `site.log`.
    private func changes(_ unwritten: UnwrittenChanges, after generation: String) -> SiteChanges {
        let (items, regions) = (unwritten.items.sorted(), unwritten.regions.sorted())
        let gateways = unwritten.gateways.sorted()
        var site = StoredSite(
            revision: registry.revision, origin: registry.origin, items: items.compactMap { registry.items[$0] },
            regions: regions.compactMap { registry.regions[$0] }, configured: [],
            states: unwritten.states.sorted().compactMap { id in
                self.items.table.place(of: id).map { storedState(of: self.items.table[$0]) }
            },
            gateways: gateways.compactMap { reports.gateways[$0].map(storedGateway) },
            lastPublished: self.items.events.lastPublished(by: effects.boot))
        complete(&site)
        if unwritten.people { site.people = people.stored }
        site.generation = generation
        return SiteChanges(
            site: site, removedItems: items.filter { registry.items[$0] == nil },
            removedRegions: regions.filter { registry.regions[$0] == nil },
            removedGateways: gateways.filter { reports.gateways[$0] == nil })
    }
}
