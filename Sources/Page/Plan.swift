import Beacons
import Locating
import Messages
import SiteCore

extension SiteConfiguration {
    /// Writes the floor plan for the page; `null` if no room has an outline.
    func writePlan(to json: inout JSONWriter) {
        let outlined = rooms.filter { $0.polygon != nil }
        guard !outlined.isEmpty else { return json.element(JSONValue.null) }
        func point(_ point: Polygon.Point) -> JSONValue { .array([.double(point.x), .double(point.y)]) }
        json.object { json in
            json.array("floors", of: Set(outlined.map(\.floor)).sorted()) { floor, json in
                json.field("floor", floor)
                json.field("name", floorNames[floor])
                json.array("rooms", of: outlined.filter { $0.floor == floor }) { room, json in
                    json.field("name", room.name)
                    json.field("polygon_m", .array(room.polygon?.corners.map(point) ?? []))
                }
            }
            json.array("doors", of: doors) { door, json in
                json.field("between", [door.from, door.to])
                json.field("at_m", door.at.map(point) ?? .null)
                json.field("floor", room(named: door.from)?.floor ?? 0)
            }
            json.array("gateways") { json in
                for gateway in gateways {
                    guard let position = gateway.position else { continue }
                    json.object { json in
                        json.field("id", gateway.id)
                        json.field("x_m", .double(position.x))
                        json.field("y_m", .double(position.y))
                        json.field("floor", floor(of: gateway))
                        json.field("room", gateway.room)
                    }
                }
            }
            json.array("pictures", of: pictures) { picture, json in
                json.field("floor", picture.floor)
                json.field("name", picture.name)
                json.field("x_m", .double(picture.corner.x))
                json.field("y_m", .double(picture.corner.y))
                json.field("width_m", .double(picture.width))
            }
        }
    }

    /// The plan as the page gets it.
    var planJSON: [UInt8] {
        var json = JSONWriter()
        writePlan(to: &json)
        return json.bytes
    }

    /// Which plan the site has: another one has another revision, and so has none.
    var planRevision: String { hexadecimal(Array(Secrets.sha256(planJSON).prefix(8))) }
}

/// The tables of a plan in the form of `writePlan`, as the aggregator reads them. `floors` is required, so that only an empty list deletes a
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
        try floor.refuseOthers(than: "floor", "name", "rooms")
        if let name = floor["name"], name != .null { try write("floor", floor, ("floor", "floor"), ("name", "name")) }
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
    case .source: return nil
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
