import Beacons
import HTTPTypes
import Hummingbird
import Linux
import Messages
import Settings
import SiteClient

/// Items: added, changed and removed by the same requests as the commands send.
extension Routes {
    var itemRoutes: [Route] {
        [
            Route(.post, "api/v1/items", .admin, mostBytes: JSONLimits.payload.bytes) { (call) throws(Refused) in
                let requested = try call.read(NewItem.self)
                try Self.check(name: requested.item.name)
                try Self.check(requested.item.notify)
                if !requested.item.id.isEmpty, !isValidID(requested.item.id) {
                    throw Refused(
                        .badRequest,
                        "The id is not 1 to 64 of a-z, 0-9, \"-\", \"_\" and \".\", the first a letter or a digit.")
                }
                let item = try await link.ask(.addItem, requested).entry
                return .json(row(of: item), status: .created)
            },
            Route(.patch, "api/v1/items/{item}", .admin, mostBytes: JSONLimits.payload.bytes) {
                (call) throws(Refused) in
                let item = try registered(call)
                let object = try call.object()
                try object.refuseOthers(
                    than: "name", "notify", "measured_power_dbm", "sleeps", "owners", "needed", "not_alone_in")
                guard !object.members.isEmpty else { throw Refused(.badRequest, "The body changes nothing.") }
                var changes = EditedItem(NameOrID(name: item.id), changes: object)
                if let name = object["name"] {
                    guard let name = name.string else { throw Refused(.badRequest, "\"name\" is not a text.") }
                    try Self.check(name: name)
                    changes.newName = name
                }
                let changed: RegistryItem
                do throws(PayloadRefusal) {
                    try changes.refuseUnknown()
                    changed = try changes.applied(to: item)
                } catch {
                    throw Refused(error)
                }
                try Self.check(changed.notify)
                return .json(row(of: try await link.ask(.editItem, changes).entry))
            },
            Route(.delete, "api/v1/items/{item}", .admin, query: ["past"]) { (call) throws(Refused) in
                let isPastDeleted = try call.flag("past") ?? false
                if isPastDeleted, store != nil, !HistoryFeed.isClockSet {
                    throw Refused(
                        .serviceUnavailable,
                        "Nobody has set this machine's clock since it started: ask again in a while.",
                        headers: [.retryAfter: "60"])
                }
                // An item that was removed may have a past.
                if isPastDeleted, board.item(call.parameter("item")) == nil, try await hasPast(call.parameter("item")) {
                    try await forgetPast(of: call.parameter("item"))
                    return .nothing
                }
                let item = try registered(call)
                _ = try await link.ask(.removeItem, NameOrID(name: item.id))
                if isPastDeleted { try await forgetPast(of: item.id) }
                return .nothing
            },
            Route(.post, "api/v1/items/{item}/acknowledge", .admin) { (call) throws(Refused) in
                let item = try registered(call)
                _ = try await link.ask(.acknowledgeItem, NameOrID(name: item.id))
                return .nothing
            },
            Route(.get, "api/v1/items/export", .reader) { (_) throws(Refused) in
                var json = JSONWriter()
                json.array { json in
                    for item in board.read(\.view.items).values.sorted(by: { $0.id < $1.id }) { item.write(to: &json) }
                }
                var response = Response.json(json.bytes)
                response.headers[.contentDisposition] = "attachment; filename=\"items.json\""
                return response
            },
            Route(.post, "api/v1/items/import", .admin, mostBytes: 16 << 20) { (call) throws(Refused) in
                .json(try await importItems(call))
            },
        ]
    }

    /// The item of the path.
    func registered(_ call: Call) throws(Refused) -> RegistryItem {
        let id = call.parameter("item")
        guard let item = board.item(id) else { throw Refused(.notFound, "There is no item \"\(id)\".") }
        return item
    }

    static func check(name: String) throws(Refused) {
        guard name.utf8.count <= SettingsTable.longestName, !name.isBlank else {
            throw Refused(.badRequest, "The name is empty or longer than \(SettingsTable.longestName) bytes.")
        }
    }

    /// The limits of the configuration and of the commands.
    private static func check(_ notify: Notify?) throws(Refused) {
        for text in [notify?.leftText, notify?.returnedText].compactMap({ $0 })
        where text.utf8.count > SettingsTable.longestText {
            throw Refused(.badRequest, "A text of the notification is longer than \(SettingsTable.longestText) bytes.")
        }
    }

    private func row(of item: RegistryItem) -> [UInt8] {
        // The registry's message may not be here yet.
        board.read { $0.row(of: item.id, at: Clock.now) }
            ?? joined(jsonObject { $0.field("item", item.id) }, item.bytes)
    }

    /// Adds the items of a file of `items export`. What exists already is skipped, so that a file can be imported again.
    private func importItems(_ call: Call) async throws(Refused) -> [UInt8] {
        let limits = JSONLimits(bytes: 16 << 20, elements: 1 << 18)
        guard let elements = (try? JSONValue(parsing: call.body, limits: limits))?.array else {
            throw Refused(.badRequest, "The body is not a JSON array of items, as the export has it.")
        }
        var entries: [NewItem] = []
        for (index, element) in elements.enumerated() {
            do throws(PayloadRefusal) {
                guard let object = element.object else { throw .notAnObject }
                entries.append(try NewItem(requestedBy: object))
            } catch {
                throw Refused(.badRequest, "Nothing was added: item \(index) cannot be used: \(error)")
            }
        }
        guard board.known != nil else {
            throw Refused(.serviceUnavailable, SiteView.beginning, headers: [.retryAfter: "5"])
        }
        let plan = ImportPlan(entries, items: board.item(_:), named: board.item(named:))
        let newItems = plan.new.map { entries[$0] }
        for requested in newItems {
            try Self.check(name: requested.item.name)
            try Self.check(requested.item.notify)
        }
        var added = 0
        var refused = plan.refused
        for range in ImportedItems.batches(of: newItems) {
            let response = try await link.ask(.importItems, ImportedItems(items: Array(newItems[range])))
            added += response.added
            for refusal in response.refused where refusal.index < range.count {
                let index = plan.new[range.lowerBound + refusal.index]
                refused.append(ImportResponse.Refusal(index: index, error: refusal.error))
            }
        }
        return jsonObject { json in
            json.field("added", added)
            json.field("known", plan.known + plan.repeated)
            json.array("refused", refused.sorted { $0.index < $1.index })
        }
    }
}
