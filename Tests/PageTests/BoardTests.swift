import Beacons
import Hummingbird
import Linux
import Messages
import PageConfiguration
import Settings
import Synchronization
import Testing

@testable import Page

/// What readers see of the site, and what their streams hold.
struct BoardTests {
    @Test func `a reader that takes nothing is cut off, and others get what changes meanwhile`() async throws {
        let reading = readSettings([], file: "none.toml") { ServiceConfiguration($0) }
        let board = Board(try #require(reading.configuration).aggregator.site, needsSignIn: false)
        let isCutOff = Mutex(false)
        let slow = try #require(board.follow(.site, for: .nobody) { isCutOff.withLock { $0 = true } })
        let other = try #require(board.follow(.site, for: .nobody) {})
        var frames = other.frames.makeAsyncIterator()
        for begin in [
            "event: site\n", "event: items\n", "{\"items\":[", "\n\n", "event: gateways\n", "event: people\n",
        ] {
            let frame = try #require(await frames.next())
            #expect(String(buffer: frame.buffer).hasPrefix(begin))
            other.took(frame)
        }
        for number in 1...1000 {
            board.send("event", Array("{\"number\":\(number)}".utf8))
            let frame = try #require(await frames.next())
            #expect(String(buffer: frame.buffer) == "event: event\ndata: {\"number\":\(number)}\n\n")
            other.took(frame)
        }
        #expect(isCutOff.withLock { $0 })
        #expect(board.census().streams == 1)
        withExtendedLifetime(slow) {}
    }

    @Test func `of very many beacons in range the strongest are sent, with the number of the others`() throws {
        let lists = NearbyLists()
        let stamp = Stamp(at: WallTime(milliseconds: 0), boot: try #require(Boot("1.abcd")), uptime: .zero)
        for count in [103, 100] {
            for (gateway, minors) in [("hall", 1...count), ("kitchen", 90...count)] {
                let beacons = minors.map { minor in
                    ReceivedBeacon(
                        BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: UInt16(minor)),
                        name: "Tag \(minor)", rssi: -40 - Double(minor) / 10, measuredPower: MeasuredPower(dBm: -59),
                        proximity: .unknown, address: DeviceAddress(bits: 1, kind: .public), addresses: 1,
                        sightings: 9, lastSeenAt: stamp.at)
                }
                lists.add(
                    BeaconsResponse(gateway: gateway, room: nil, stamp: stamp, beacons: beacons), from: gateway,
                    at: .zero)
            }
            func list(_ search: String) throws -> JSONObject {
                let searches: Set = ["", search]
                let made = lists.lists(for: searches, known: [:], at: .zero)
                #expect(Set(made.keys) == searches)
                let bytes = try #require(made[search])
                return try #require(try JSONValue(parsing: bytes, limits: .list).object)
            }
            let sent = try list("")
            #expect(sent["beacons"]?.array?.count == 100)
            #expect(sent["beacons"]?.array?.last?.object?["minor"]?.integer == 100)
            #expect(sent["more"]?.integer == Int64(count - 100))
            // One of the others is found by its minor, in words that fit with it, or by its name.
            for search in ["\(count)", " 00000000  \(count)", "3 \(count)", "TAG \(count)"] {
                let found = try list(search)
                let minors = found["beacons"]?.array?.compactMap { $0.object?["minor"]?.integer }
                #expect(minors == [Int64(count)], "\(search)")
                #expect(found["more"]?.integer == 0)
            }
            #expect(try list("tag")["more"]?.integer == Int64(count - 100))
            #expect(try list("no such beacon")["beacons"]?.array?.isEmpty == true)
        }
    }

    @Test func `an item's row has the battery of its tag while the tag reports one, and so have the streams`()
        async throws
    {
        let reading = readSettings([], file: "none.toml") { ServiceConfiguration($0) }
        let board = Board(try #require(reading.configuration).aggregator.site, needsSignIn: false)
        let beacon = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        let stamp = Stamp(at: WallTime(milliseconds: 0), boot: try #require(Boot("1.abcd")), uptime: .zero)
        func receive(_ topic: Topic, _ payload: [UInt8]) {
            board.receive(topic, payload, isRetained: false, expiresInSeconds: nil)
        }
        func row() throws -> String {
            String(decoding: try #require(board.read { $0.row(of: "keys", at: Clock.now) }), as: UTF8.self)
        }
        receive(.registryItem("keys"), RegistryItem(id: "keys", name: "Keys", beacon: beacon).bytes)
        board.flush(all: true)
        let stream = try #require(board.follow(.site, for: .nobody) {})
        var frames = stream.frames.makeAsyncIterator()
        for percent: UInt8 in [12, 11] {
            #expect(try !row().contains("battery"))
            var health = ItemHealth(
                item: "keys", readings: TagReadings(batteryPercent: percent), wasLow: false, stamp: stamp)
            health.reception = .init(interval: 1.02, trend: -4.9)
            receive(.itemHealth(item: "keys"), health.bytes)
            let members =
                "\"battery_percent\":\(percent),\"battery_low\":true,\"interval_s\":1.02,\"rssi_db_per_week\":-4.9"
            #expect(try row().contains(members))
            board.flush(all: false)
            // What does not come ends the wait with the event that follows.
            board.send("event", Array("{}".utf8))
            var sent = ""
            while !sent.contains("event: event"), let frame = await frames.next() {
                sent += String(buffer: frame.buffer)
                stream.took(frame)
            }
            #expect(sent.contains("event: item\n") && sent.contains(members))
            receive(.itemHealth(item: "keys"), [])
        }
    }

    @Test func `a stream has the people after each change, and which of them stand in the configuration`() async throws
    {
        let reading = readSettings(Array("[[person]]\nname = \"Ben\"\n".utf8), file: "none.toml") {
            ServiceConfiguration($0)
        }
        let board = Board(try #require(reading.configuration).aggregator.site, needsSignIn: false)
        board.connected()
        board.caughtUp()
        board.flush(all: true)
        let stream = try #require(board.follow(.site, for: .nobody) {})
        var frames = stream.frames.makeAsyncIterator()
        func people() async -> String? {
            while let frame = await frames.next() {
                let text = String(buffer: frame.buffer)
                stream.took(frame)
                if text.hasPrefix("event: people\n") { return text }
            }
            return nil
        }
        #expect(await people() == "event: people\ndata: []\n\n")
        let stamp = Stamp(at: WallTime(milliseconds: 0), boot: try #require(Boot("1.abcd")), uptime: .zero)
        for name in ["Anna", "Ben"] {
            let location = PersonLocation(
                person: Person(id: name.lowercased(), name: name, carries: []), presence: .away, stamp: stamp)
            let topic = Topic.personLocation(person: name.lowercased())
            board.receive(topic, location.bytes, isRetained: false, expiresInSeconds: nil)
        }
        board.flush(all: false)
        let text = try #require(await people())
        #expect(text.contains("\"name\":\"Anna\"") && text.contains("\"name\":\"Ben\""))
        let isConfigured = text.split(separator: "},").map { $0.contains("\"configured\":true") }
        #expect(isConfigured == [false, true], "\(text)")
        #expect(board.read(\.peopleJSON) == Array(text.dropFirst("event: people\ndata: ".count).dropLast(2).utf8))
    }

    @Test func `a reader with too many bytes in its queue is cut off, but an event of any size is sent alone`() throws {
        let reading = readSettings([], file: "none.toml") { ServiceConfiguration($0) }
        let board = Board(try #require(reading.configuration).aggregator.site, needsSignIn: false)
        let isCutOff = Mutex(false)
        let stream = try #require(board.follow(.nearby(""), for: .nobody) { isCutOff.withLock { $0 = true } })
        board.send("nearby", Array(repeating: 0x20, count: EventStream.mostBytes + 1), about: .nearby(""))
        #expect(!isCutOff.withLock { $0 } && board.census().streams == 1)
        board.send("nearby", [0x20], about: .nearby(""))
        #expect(isCutOff.withLock { $0 } && board.census().streams == 0)
        withExtendedLifetime(stream) {}
    }

    @Test func `a stream of the site has the time, and one of the beacons a comment, each time`() async throws {
        let board = try Self.board(items: 0)
        let site = try #require(board.follow(.site, for: .nobody) {})
        let nearby = try #require(board.follow(.nearby(""), for: .nobody) {})
        let begin = Clock.wall
        for _ in 0..<2 { board.sendTime() }
        board.endStreams()
        var times: [String] = []
        for await frame in site.frames {
            let text = String(buffer: frame.buffer)
            if text.hasPrefix("event: time\n") { times.append(text) }
        }
        #expect(times.count == 2)
        for text in times {
            let value = try #require(text.split(separator: "\"").dropFirst(3).first)
            #expect(text == "event: time\ndata: {\"time\":\"\(value)\"}\n\n")
            #expect(try #require(WallTime(String(value))) >= begin)
        }
        var comments: [String] = []
        for await frame in nearby.frames { comments.append(String(buffer: frame.buffer)) }
        #expect(comments == [": \n\n", ": \n\n"])
    }

    /// A board with so many items, of about 300 bytes each.
    private static func board(items: Int) throws -> Board {
        let reading = readSettings([], file: "none.toml") { ServiceConfiguration($0) }
        let board = Board(try #require(reading.configuration).aggregator.site, needsSignIn: false)
        board.connected()
        board.caughtUp()
        for number in 0..<items { receive(number, on: board, name: "Item") }
        board.flush(all: true)
        return board
    }

    private static func receive(_ number: Int, on board: Board, name: String) {
        let item = RegistryItem(
            id: "item-\(number)", name: name,
            beacon: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: UInt16(number)))
        board.receive(.registryItem(item.id), item.bytes, isRetained: false, expiresInSeconds: nil)
    }

    @Test func `all who ask for many items get one buffer, and a stream has what changed since it was made`()
        async throws
    {
        let board = try Self.board(items: 2000)
        func address(_ body: SharedBody?) -> Int? {
            body?.buffer.withUnsafeReadableBytes { $0.baseAddress.map { Int(bitPattern: $0) } }
        }
        let first = try #require(board.itemsBody())
        #expect(first.buffer.readableBytes > 400_000)
        Self.receive(7, on: board, name: "Changed")
        board.flush(all: false)
        let stream = try #require(board.follow(.site, for: .nobody) {})
        var text = ""
        for await frame in stream.frames {
            text += String(buffer: frame.buffer)
            if text.contains("event: gateways") { break }
        }
        let items = try #require(text.firstRange(of: "event: items")).lowerBound
        #expect(text[items...].contains("\"Changed\""))
        // Within a second; a slow machine makes another one, which has the change.
        let second = try #require(board.itemsBody())
        #expect(address(second) == address(first) || String(buffer: second.buffer).contains("\"Changed\""))
    }

    @Test func `what clients have not taken is limited, and what they give up makes room`() throws {
        let board = try Self.board(items: 2000)
        var held = board.outgoing.hold(Outgoing.mostBytes * 2)
        #expect(held != nil)
        for _ in 0..<2 {
            #expect(board.itemsBody() == nil && board.follow(.site, for: .nobody) {} == nil)
            #expect(board.outgoing.hold(1) == nil)
        }
        held = nil
        #expect(board.itemsBody() != nil)
    }

    @Test func `without a page, the board has locations and names for the history, and no rows`() throws {
        let reading = readSettings([], file: "none.toml") { ServiceConfiguration($0) }
        let site = try #require(reading.configuration).aggregator.site
        let stamp = Stamp(
            at: WallTime(milliseconds: 1_795_239_612_345), boot: try #require(Boot("3.aggr")), uptime: .zero)
        let location = ItemLocation(item: "bag", name: "Bag", presence: .home, room: "Hall", stamp: stamp)
        let item = RegistryItem(
            id: "bag", name: "Bag", beacon: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4))
        for isShown in [true, false] {
            let board = Board(site, needsSignIn: false, isShown: isShown)
            board.connected()
            board.caughtUp()
            board.receive(.registryItem("bag"), item.bytes, isRetained: false, expiresInSeconds: nil)
            board.receive(.itemLocation(item: "bag"), location.bytes, isRetained: false, expiresInSeconds: nil)
            board.flush(all: true)
            #expect(board.locations(of: nil).map(\.room) == ["Hall"])
            #expect(board.read(\.rows.count) == (isShown ? 1 : 0))
            // `forgetmenot history` asks by name.
            #expect(board.item(named: "Bag")?.id == "bag")
        }
    }

    @Test func `the page has at most as many streams as the limit, and a closed one makes room for another`() throws {
        let reading = readSettings([], file: "none.toml") { ServiceConfiguration($0) }
        let board = Board(try #require(reading.configuration).aggregator.site, needsSignIn: false)
        var streams: [EventStream] = []
        while let stream = board.follow(.nearby(""), for: .nobody, cutOff: {}) { streams.append(stream) }
        #expect(streams.count == EventStream.mostReaders)
        board.unfollow(streams[0])
        #expect(board.follow(.nearby(""), for: .nobody, cutOff: {}) != nil)
    }

    @Test func `a room that only a gateway reports, while the site gives the gateway another, is no room of the site`()
        throws
    {
        let table = "[[gateway]]\nid = \"den\"\nroom = \"Office\"\n"
        let reading = readSettings(Array(table.utf8), file: "none.toml") { ServiceConfiguration($0) }
        let board = Board(try #require(reading.configuration).aggregator.site, needsSignIn: false)
        let stamp = Stamp(at: WallTime(milliseconds: 0), boot: try #require(Boot("1.abcd")), uptime: .zero)
        for (id, room) in [("den", "Room 1"), ("hall", "Hall")] {
            let info = GatewayInfo(
                gateway: id, room: room, version: "1.0", stamp: stamp,
                radio: GatewayInfo.Radio(source: "simulation", state: .poweredOn), regions: 1)
            board.receive(.gatewayInfo(gateway: id), info.bytes, isRetained: false, expiresInSeconds: nil)
        }
        let site = try #require(try JSONValue(parsing: board.siteJSON(for: .nobody)).object)
        #expect(site["rooms"]?.array?.compactMap(\.string) == ["Hall", "Office"])
    }
}
