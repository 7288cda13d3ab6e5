import SiteCore
import Messages
import Settings

/// The floor plan for the page; `nil` if no room has an outline.
func planJSON(_ site: SiteConfiguration) -> JSONValue? {
    let outlined = site.rooms.filter { $0.polygon != nil }
    guard !outlined.isEmpty else { return nil }
    func number(_ value: Double) -> JSONValue { .double(value) }
    func point(_ point: Point) -> JSONValue { .array([number(point.x), number(point.y)]) }
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
                return .object(object)
            }))
    plan.set("editable", to: .bool(false))
    plan.set("picture", to: .bool(false))
    return .object(plan)
}
