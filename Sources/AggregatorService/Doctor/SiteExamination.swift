import Beacons
import Broker
import Doctor
import Messages
import Text

/// What is right and what is wrong with a site, by what its broker keeps.
struct SiteExamination {
    /// What the broker keeps.
    let view: SiteView
    /// The version of who looks.
    let version: String

    /// The things of a site that are looked at even where there is no broker to ask.
    static let things = ["aggregator", "gateways", "versions"]

    /// What gateways say of themselves is shown, and moves no cursor.
    func findings() -> [Finding] {
        let gateways = view.gateways.sorted { $0.key < $1.key }.map {
            finding(of: $0.key, $0.value)
        }
        return ([aggregator, seen] + gateways + [versions]).map {
            Finding($0.thing, $0.verdict, printable($0.sentence))
        }
    }

    private var aggregator: Finding {
        let start = "`sudo systemctl start forgetmenot`, and read `journalctl -u forgetmenot`"
        guard view.aggregator.availability == .online else {
            return Finding("aggregator", .wrong, "does not run, or does not reach this broker: \(start)")
        }
        guard view.isAggregatorAlive(), let info = view.aggregator.info else {
            return Finding("aggregator", .wrong, "is said to run, and its heartbeat has run out: \(start)")
        }
        guard info.problems.isEmpty else { return Finding("aggregator", .wrong, info.problems.joined(separator: "; ")) }
        return Finding("aggregator", .right, "runs, version \(info.version), and knows \(info.items) items")
    }

    private var seen: Finding {
        let online = view.gateways.keys.count { view.isAlive(gateway: $0) }
        guard online > 0 else {
            let others = view.gateways.isEmpty ? "none was ever seen here" : "none of \(view.gateways.count) is online"
            return Finding(
                "gateways", .wrong,
                "\(others): run `forgetmenot-gateway doctor` on the box, or set one up by broker-setup's line")
        }
        return Finding("gateways", .right, "\(online) of \(view.gateways.count) online")
    }

    private func finding(of id: String, _ gateway: Heartbeat<GatewayInfo>) -> Finding {
        let thing = "gateway \(id)"
        guard gateway.availability == .online else {
            return Finding(
                thing, .wrong,
                "offline: see to its power and network, or forget it by `forgetmenot gateways remove \(id)`")
        }
        guard view.isAlive(gateway: id), let info = gateway.info else {
            return Finding(
                thing, .wrong, "is said to be online, and its heartbeat has run out: see to its power and network")
        }
        let radio = info.radio
        guard radio.state == .poweredOn else {
            let reason = radio.reason.map { ": \($0)" } ?? ""
            return Finding(
                thing, .wrong,
                "hears nothing, \(radio.source) is \(radio.state.rawValue)\(reason): run `forgetmenot-gateway doctor` there"
            )
        }
        guard info.problems.isEmpty else { return Finding(thing, .wrong, info.problems.joined(separator: "; ")) }
        return Finding(thing, .right, "hears by \(radio.source)\(info.room.map { " in \($0)" } ?? "")")
    }

    private var versions: Finding {
        var told = view.gateways.compactMap { id, gateway in gateway.info.map { (id, $0.version) } }.sorted { $0 < $1 }
        if let info = view.aggregator.info { told.insert(("the aggregator", info.version), at: 0) }
        let others = told.filter { $0.1 != version }
        guard others.isEmpty else {
            let list = others.map { "\($0.0) is \($0.1)" }.joined(separator: ", ")
            return Finding(
                "versions", .wrong, "\(list), and this program \(version): upgrade what is older, and restart it")
        }
        return Finding("versions", .right, "all that runs is \(version)")
    }
}
