import Beacons
import Locating
import Messages
import PageConfiguration
import Settings
import SiteCore

/// The floor plan for the page; `nil` if no room has an outline.
func planJSON(_ site: SiteConfiguration) -> JSONValue? {
    let outlined = site.rooms.filter { $0.polygon != nil }
    guard !outlined.isEmpty else { return nil }
    func number(_ value: Double) -> JSONValue { .double(value) }
    func point(_ point: Polygon.Point) -> JSONValue { .array([number(point.x), number(point.y)]) }
    var plan = JSONObject()
    plan.set(
        "floors",
        to: .array(
            Set(outlined.map(\.floor)).sorted().map { floor in
                var object = JSONObject()
                object.set("floor", to: .integer(Int64(floor)))
                object.set(
                    "rooms",
                    to: .array(
                        outlined.filter { $0.floor == floor }.map { room in
                            var object = JSONObject()
                            object.set("name", to: .string(room.name))
                            object.set("polygon_m", to: .array(room.polygon?.corners.map(point) ?? []))
                            return .object(object)
                        }))
                return .object(object)
            }))
    plan.set(
        "doors",
        to: .array(
            site.doors.map { door in
                var object = JSONObject()
                object.set("between", to: .array([.string(door.first), .string(door.second)]))
                object.set("at_m", to: door.at.map(point) ?? .null)
                object.set("floor", to: .integer(Int64(site.room(named: door.first)?.floor ?? 0)))
                return .object(object)
            }))
    plan.set(
        "gateways",
        to: .array(
            site.gateways.compactMap { gateway in
                guard let position = gateway.position else { return nil }
                var object = JSONObject()
                object.set("id", to: .string(gateway.id))
                object.set("x_m", to: number(position.x))
                object.set("y_m", to: number(position.y))
                object.set("floor", to: .integer(Int64(site.floor(of: gateway))))
                if let room = gateway.room { object.set("room", to: .string(room)) }
                return .object(object)
            }))
    plan.set(
        "pictures",
        to: .array(
            site.pictures.map { picture in
                var object = JSONObject()
                object.set("floor", to: .integer(Int64(picture.floor)))
                object.set("name", to: .string(picture.name))
                object.set("x_m", to: number(picture.corner.x))
                object.set("y_m", to: number(picture.corner.y))
                object.set("width_m", to: number(picture.width))
                return .object(object)
            }))
    return .object(plan)
}

/// Which plan a site has: another one has another revision, and so has none.
func planRevision(_ site: SiteConfiguration) -> String {
    var json = JSONWriter()
    json.element(planJSON(site) ?? .null)
    return hexadecimal(Array(Secrets.sha256(json.bytes).prefix(8)))
}

/// The tables of a plan in the form of `planJSON`, as the aggregator reads them. `floors` is required, so that only an empty list deletes a
/// plan, and members that do not belong to a plan are refused.
func planTables(_ plan: JSONObject) throws(Refused) -> String {
    var tables =
        "# The plan that was drawn on the page. aggregator.toml takes precedence: if it has a plan, this file is not used.\n"
    func list(_ key: String, of object: JSONObject) throws(Refused) -> [JSONObject] {
        guard let value = object[key], value != .null else { return [] }
        guard let objects = value.array?.map(\.object), !objects.contains(nil) else {
            throw Refused(.badRequest, "\"\(key)\" is not an array of objects.")
        }
        return objects.compactMap { $0 }
    }
    func write(_ header: String, _ object: JSONObject, _ keys: (json: String, toml: String)...) throws(Refused) {
        tables += "\n[[\(header)]]\n"
        for (key, name) in keys {
            guard let value = object[key], value != .null else { continue }
            guard let text = tomlText(value) else { throw Refused(.badRequest, "\"\(key)\" cannot be used in a plan.") }
            tables += "\(name) = \(text)\n"
        }
    }
    func point(_ object: JSONObject) -> JSONObject {
        var object = object
        if let x = object["x_m"], let y = object["y_m"] { object.set("at", to: .array([x, y])) }
        return object
    }
    try plan.refuseOthers(than: "floors", "doors", "gateways", "pictures")
    guard let floors = plan["floors"], floors != .null else {
        throw Refused(.badRequest, "\"floors\" is missing: an empty list deletes the plan.")
    }
    for floor in try list("floors", of: plan) {
        try floor.refuseOthers(than: "floor", "rooms")
        for var room in try list("rooms", of: floor) {
            try room.refuseOthers(than: "name", "polygon_m")
            room.set("floor", to: floor["floor"] ?? .integer(0))
            try write("room", room, ("name", "name"), ("floor", "floor"), ("polygon_m", "polygon_m"))
        }
    }
    for door in try list("doors", of: plan) {
        try door.refuseOthers(than: "between", "at_m", "floor")
        try write("door", door, ("between", "between"), ("at_m", "at_m"))
    }
    for gateway in try list("gateways", of: plan) {
        try gateway.refuseOthers(than: "id", "x_m", "y_m", "floor", "room")
        try write("gateway", point(gateway), ("id", "id"), ("floor", "floor"), ("at", "position_m"), ("room", "room"))
    }
    for picture in try list("pictures", of: plan) {
        try picture.refuseOthers(than: "floor", "name", "x_m", "y_m", "width_m")
        try write(
            "picture", point(picture), ("floor", "floor"), ("name", "name"), ("at", "at_m"), ("width_m", "width_m"))
    }
    return tables
}

/// A value as TOML; `nil` for an object, and for what TOML does not have.
private func tomlText(_ value: JSONValue) -> String? {
    switch value {
    case .null, .object: return nil
    case .bool(let bool): return "\(bool)"
    case .integer(let integer): return "\(integer)"
    case .double(let double): return "\(double)"
    case .string:
        // The escapes of JSON are escapes of TOML as well; TOML wants one for U+007F too.
        var json = JSONWriter()
        json.element(value)
        return String(decoding: json.bytes, as: UTF8.self).replacing("\u{7F}", with: "\\u007F")
    case .array(let elements):
        let texts = elements.map(tomlText)
        guard !texts.contains(nil) else { return nil }
        return "[" + texts.compactMap { $0 }.joined(separator: ", ") + "]"
    }
}
