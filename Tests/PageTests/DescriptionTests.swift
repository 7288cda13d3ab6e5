import Beacons
import Foundation
import Hummingbird
import HummingbirdTesting
import Linux
import Messages
import PageConfiguration
import Testing

@testable import Page

/// The embedded files, and the description of the interface among them.
struct DescriptionTests {
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Sources/CPage/Assets"

    @Test func `the program contains every file of the page`() throws {
        let listed = try #require(FileManager.default.subpaths(atPath: Self.folder))
        let files = embeddedFiles()
        #expect(files.map(\.name).sorted() == listed.sorted())
        for file in files { #expect(try readFile(at: "\(Self.folder)/\(file.name)", limit: 1 << 20) == file.bytes) }
    }

    /// The names of an operation's parameters in the path or in the query.
    private func parameters(_ place: String, of operation: JSONObject) -> Set<String> {
        let all = operation["parameters"]?.array?.compactMap(\.object) ?? []
        return Set(all.filter { $0["in"]?.string == place }.compactMap { $0["name"]?.string })
    }

    @Test func `openapi.json describes every route as it is, key by key, and no other`() throws {
        let text = try readFile(at: "\(Self.folder)/openapi.json", limit: 1 << 20)
        let paths = try #require(try JSONValue(parsing: text, limits: .list).object?["paths"]?.object)
        var described: [String: JSONObject] = [:]
        for path in paths.members {
            for method in path.value.object?.members ?? [] {
                described["\(method.key.uppercased()) \(path.key)"] = method.value.object
            }
        }
        for route in try TestPage().routes.all where route.path != "" && !route.path.hasPrefix("assets/") {
            let name = "\(route.method.rawValue) /\(route.path)"
            guard let operation = described.removeValue(forKey: name) else {
                Issue.record("\(name) is not described")
                continue
            }
            #expect(operation["x-role"]?.string == "\(route.access)", "\(name)")
            #expect((operation["security"]?.array?.isEmpty == true) == (route.access == .anybody), "\(name)")
            let inPath = route.path.matches(of: /\{(\w+)\}/).map { String($0.1) }
            #expect(parameters("path", of: operation) == Set(inPath), "\(name)")
            #expect(parameters("query", of: operation) == Set(route.query), "\(name)")
            #expect((operation["requestBody"] != nil) == (route.mostBytes > 0), "\(name)")
            // What the page refuses before the route responds.
            let statuses = Set(operation["responses"]?.object?.members.map(\.key) ?? [])
            var refusals: Set = ["400", "401", "421"]
            if route.access != .anybody { refusals.insert("403") }
            if route.mostBytes > 0 { refusals.formUnion(["413", "415"]) }
            #expect(statuses.isSuperset(of: refusals), "\(name) lacks \(refusals.subtracting(statuses))")
            if route.mostBytes == 0 { #expect(statuses.isDisjoint(with: ["413", "415"]), "\(name)") }
        }
        #expect(described.keys.sorted() == [])
    }

    /// The members, as paths, that a schema does not have.
    private func undescribed(
        _ value: JSONValue, _ schema: JSONValue?, in schemas: JSONObject, at path: String
    ) -> [String] {
        guard var schema = schema?.object else { return [path] }
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            schema = schemas[String(name)]?.object ?? schema
        }
        if let choices = schema["anyOf"]?.array?.filter({ $0.object?["type"]?.string != "null" }) {
            guard value != .null else { return [] }
            return choices.map { undescribed(value, $0, in: schemas, at: path) }.min { $0.count < $1.count } ?? [path]
        }
        if let members = value.object?.members {
            guard let properties = schema["properties"]?.object else { return [] }
            return members.flatMap { member in
                properties[member.key] == nil && schema["additionalProperties"] != nil
                    ? [] : undescribed(member.value, properties[member.key], in: schemas, at: "\(path).\(member.key)")
            }
        }
        return (value.array ?? []).flatMap { undescribed($0, schema["items"], in: schemas, at: path + "[]") }
    }

    /// A page with all that a site can have.
    private func fullPage() throws -> TestPage {
        let page = try TestPage(
            page: "[[room]]\nname = \"Ward\"\nfloor = 3\npolygon_m = [[0, 0], [4, 0], [4, 3], [0, 3]]\n"
                + "[[room]]\nname = \"Store\"\n")
        func receive(_ topic: Topic, _ payload: some Payload) {
            page.routes.board.receive(topic, payload.bytes, isRetained: false, expiresInSeconds: nil)
        }
        let stamp = Stamp(
            at: WallTime(milliseconds: 0), boot: try #require(Boot("1.abcd")), uptime: .zero, isClockSynchronised: false
        )
        let at = stamp.at
        let home = ItemLocation(
            item: "keys", name: "Keys", presence: .home, room: "Ward", confidence: 0.9, rooms: [.init("Ward", 0.9)],
            gateway: "hall", proximity: .near, accuracy: 1, rssi: -60, since: at, lastSeenAt: at, awayProbability: 0.5,
            stamp: stamp, point: .init(x: 1, y: 1, floor: 3), error: "It is unknown.")
        var resting = home
        (resting.item, resting.point, resting.silence) = ("bag", nil, .resting(since: at))
        let away = ItemLocation(item: "bike", name: "Bike", presence: .away, probableCause: .battery, stamp: stamp)
        for (number, location) in [home, resting, away].enumerated() {
            let id = location.item
            let beacon = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: UInt16(number))
            receive(
                .registryItem(id),
                RegistryItem(
                    id: id, name: id, beacon: beacon, measuredPower: MeasuredPower(dBm: -60), sleeps: true,
                    notify: Notify(left: true, returned: true),
                    ownership: Ownership(owners: ["anna"], needed: Schedule("always"), notAloneIn: ["Ward"])))
            receive(.itemLocation(item: id), location)
            var health = ItemHealth(
                item: id, readings: TagReadings(batteryPercent: 9, batteryMillivolts: 2300, temperatureTenths: 210),
                wasLow: false, stamp: stamp)
            health.reception = .init(interval: 1, sightingsPerHour: 60, trend: -1, gateway: "hall", days: [-600])
            receive(.itemHealth(item: id), health)
            receive(
                .itemNotification(item: id),
                Messages.Notification(
                    id: EventID(boot: stamp.boot, seq: 1), kind: .left, message: "It left.", item: id, count: 1,
                    nextAt: at,
                    since: at, stamp: stamp))
        }
        receive(
            .gatewayInfo(gateway: "hall"),
            GatewayInfo(
                gateway: "hall", room: "Store", host: "pi", rssiOffset: -3, version: "1.0.0", stamp: stamp,
                radio: .init(source: "bluez:hci0", interface: "monitor", state: .poweredOff, reason: "It is off."),
                machine: .init(freeBytes: 1, temperature: 50, isUndervolted: true), problems: ["It is hot."], regions: 1
            ))
        receive(
            .personLocation(person: "anna"),
            PersonLocation(
                person: Person(id: "anna", name: "Anna", carries: ["keys"]), presence: .home, room: "Ward",
                confidence: 0.9, item: "keys", since: at, stamp: stamp))
        page.routes.board.flush(all: true)
        return page
    }

    @Test func `openapi.json describes every key of what the page responds with`() async throws {
        let text = try readFile(at: "\(Self.folder)/openapi.json", limit: 1 << 20)
        let description = try #require(try JSONValue(parsing: text, limits: .list).object)
        let schemas = try #require(description["components"]?.object?["schemas"]?.object)
        func schema(_ path: String) -> JSONValue? {
            let operation = description["paths"]?.object?["/\(path)"]?.object?["get"]?.object
            let response = operation?["responses"]?.object?["200"]?.object
            return response?["content"]?.object?["application/json"]?.object?["schema"]
        }
        let page = try fullPage()
        var read: Set<String> = []
        for route in page.routes.all where route.method == .get && route.isFixed {
            guard let schema = schema(route.path) else { continue }
            let response = try await page.send(.get, "/" + route.path)
            // What the broker, the history or a file is needed for.
            guard response.status == .ok else { continue }
            read.insert(route.path)
            let value = try JSONValue(parsing: Array(buffer: response.body), limits: .list)
            #expect(undescribed(value, schema, in: schemas, at: route.path) == [])
        }
        #expect(
            ["site", "items", "items/export", "gateways", "people", "plan"].allSatisfy {
                read.contains("api/v1/" + $0)
            },
            "\(read)")
        let survey = SurveyResponse.Survey(
            number: 1, room: "Ward", item: "keys", at: WallTime(milliseconds: 0), seconds: 20, gateways: 1,
            elsewhere: 0.5, elsewhereRoom: "Store")
        let learning = LearningResponse(
            worth: .init(
                at: WallTime(milliseconds: 0), share: 1, agreement: 1, difference: 0, lived: 1, surveyed: 1),
            isLearning: true, rooms: [.init(room: "Ward", fingerprints: 1, lived: 1, surveyed: 1)], stored: 1,
            surveys: [survey], knownRooms: ["Ward"])
        let value = try JSONValue(parsing: jsonObject { json in learning.writeFields(to: &json) })
        #expect(undescribed(value, schema("api/v1/surveys"), in: schemas, at: "surveys") == [])
    }

    @Test func `the page HTTPInterface of the reference has each path that is described`() throws {
        let root = Self.folder.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = String(
            decoding: try readFile(at: "/\(root)/Documentation/Forgetmenot.docc/HTTPInterface.md", limit: 1 << 20),
            as: UTF8.self)
        for route in try TestPage().routes.all where !route.path.hasPrefix("assets/") {
            #expect(page.contains(" /\(route.path)"), "\(route.path)")
        }
    }
}
