import Beacons
import Linux
import Locating

/// What one report costs, in microseconds of this machine's processor.
enum ReportCost {
    /// The models that are weighed with, each with a few words: two gateways in each of six rooms.
    static var models: [(name: String, model: LocatorModel)] {
        let names = site(isDrawn: false)
        let drawn = site(isDrawn: true, edge: 6)
        return [
            ("names only", LocatorModel(site: names)),
            ("a survey", LocatorModel(site: names, learned: surveyed(names))),
            ("a plan of 400 cells", LocatorModel(site: drawn)),
            ("plan and survey", LocatorModel(site: drawn, learned: surveyed(drawn))),
        ]
    }

    /// Reports of 12 gateways, one every 100 ms, so that each makes the filter take a step: the dearest there is.
    static func perReport(_ model: LocatorModel) -> Double {
        var locator = Locator(model: model)
        let reports = 60_000
        let begin = Clock.processorTime
        for number in 0..<reports {
            let gateway = number % model.gateways.count
            let level = -60.0 - Double((number * 7919) % 23)
            locator.report(gateway: gateway, rssi: level, at: Instant(milliseconds: Int64(number) * 100))
        }
        return (Clock.processorTime - begin).seconds / Double(reports) * 1e6
    }

    /// What surveys of a minute in each room teach.
    static func surveyed(_ site: Site) -> Learned? {
        let model = LocatorModel(site: site)
        var surveys: [Survey] = []
        for room in model.rooms.indices {
            var locator = Locator(model: model)
            var history = RSSIHistory(gateways: model.gateways)
            for number in 0..<600 {
                let gateway = number % model.gateways.count
                let level = (gateway / 2 == room ? -50.0 : -70) - Double((number * 7919) % 13)
                let now = Instant(milliseconds: Int64(number) * 100)
                locator.report(gateway: gateway, rssi: level, at: now)
                history.append(locator, at: now)
            }
            surveys.append(Survey(room: model.rooms[room], history: history))
        }
        return Learned.learn(site: site, from: [], surveys: surveys)
    }

    /// Six rooms, by default of 4 m by 4 m in two rows, with outlines where `isDrawn`.
    static func site(isDrawn: Bool, edge: Double = 4) -> Site {
        let rooms = (0..<6).map { index in
            let (x, y) = (Double(index % 3) * edge, Double(index / 3) * edge)
            let corners = [(x, y), (x + edge, y), (x + edge, y + edge), (x, y + edge)]
            return Site.Room(
                name: "room \(index)",
                polygon: isDrawn ? Polygon(corners: corners.map { Polygon.Point(x: $0.0, y: $0.1) }) : nil)
        }
        let gateways = (0..<12).map { index in
            let x = Double(index / 2 % 3) * edge + (index % 2 == 0 ? 1 : edge - 1)
            return Site.Gateway(
                id: "gateway \(index)", room: "room \(index / 2)",
                position: isDrawn ? Polygon.Point(x: x, y: Double(index / 6) * edge + 1) : nil)
        }
        return Site(rooms: rooms, gateways: gateways)
    }
}
