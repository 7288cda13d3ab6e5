import Beacons
import Doctor
import Linux
import Messages

/// The checks of a site, from the messages that its broker retains.
package struct SiteExamination {
    /// The site as the broker retains it.
    let view: SiteView
    let version: String

    /// The checks that are listed even if the broker cannot be asked.
    package static let subjects = ["aggregator", "gateways", "versions"]

    package static func findings(over session: BrokerSession) throws(Failure) -> [Finding] {
        SiteExamination(view: try session.view(asksGateways: true), version: Messages.version).findings()
    }

    /// The findings; control characters from gateways' payloads are removed.
    func findings() -> [Finding] {
        let gateways = view.gateways.sorted { $0.key < $1.key }.map {
            finding(of: $0.key, $0.value)
        }
        let named = view.aggregatorNames.map { finding(ofAggregator: $0) }
        return ([aggregator] + named + [seen] + gateways + [versions]).map {
            Finding($0.subject, $0.verdict, printable($0.sentence))
        }
    }

    private var aggregator: Finding {
        let start = "`sudo systemctl start forgetmenot`, and read `journalctl -u forgetmenot`"
        guard view.aggregator.availability == .online else {
            return Finding("aggregator", .failed, "does not run, or does not reach this broker: \(start)")
        }
        guard view.isAggregatorAlive(), let info = view.aggregator.info else {
            return Finding("aggregator", .failed, "is online, but its heartbeat has expired: \(start)")
        }
        guard info.problems.isEmpty else {
            return Finding("aggregator", .failed, info.problems.joined(separator: "; "))
        }
        let runs = "runs, version \(info.version), with \(info.items) items"
        guard let active = info.active else { return Finding("aggregator", .passed, runs) }
        guard let standby = info.standby, !standby.isEmpty else {
            return Finding(
                "aggregator", .failed,
                "\(active) is active, and no other is on standby: start the others, and read `journalctl -u forgetmenot` there"
            )
        }
        return Finding(
            "aggregator", .passed, "\(runs); \(active) is active, on standby: \(standby.joined(separator: ", "))")
    }

    private func finding(ofAggregator name: String) -> Finding {
        let subject = "aggregator \(name)"
        guard let shares = view.shares.byName[name] else {
            return Finding(
                subject, .failed,
                "has no share of the beacons: write [[subscribe]] to its file, or clear aggregators/\(name)/availability"
            )
        }
        guard view.isAlive(aggregator: name), let info = view.namedAggregators[name]?.info else {
            return Finding(
                subject, .failed,
                "does not run, or does not reach this broker, and the locations of its items are the last known: start it, "
                    + "or give its items to another one by clearing aggregators/\(name)/shares")
        }
        guard info.problems.isEmpty else { return Finding(subject, .failed, info.problems.joined(separator: "; ")) }
        let count = shares.count == 1 ? "1 share" : "\(shares.count) shares"
        return Finding(subject, .passed, "runs, version \(info.version), with \(info.items) items of \(count)")
    }

    private var seen: Finding {
        let online = view.gateways.keys.count { view.isAlive(gateway: $0) }
        guard online > 0 else {
            let others = view.gateways.isEmpty ? "there is none" : "none of \(view.gateways.count) is online"
            return Finding(
                "gateways", .failed,
                "\(others): run `forgetmenot-gateway doctor` on the gateway, or set one up with the line of `forgetmenot broker-setup`"
            )
        }
        return Finding("gateways", .passed, "\(online) of \(view.gateways.count) online")
    }

    private func finding(of id: String, _ gateway: Heartbeat<GatewayInfo>) -> Finding {
        let subject = "gateway \(id)"
        guard gateway.availability == .online else {
            return Finding(
                subject, .failed,
                "offline: check its power and network, or remove it with `forgetmenot gateways remove \(id)`")
        }
        guard view.isAlive(gateway: id), let info = gateway.info else {
            return Finding(
                subject, .failed, "is online, but its heartbeat has expired: check its power and network")
        }
        let radio = info.radio
        guard radio.state == .poweredOn else {
            let reason = radio.reason.map { ": \($0)" } ?? ""
            return Finding(
                subject, .failed,
                "receives nothing, \(radio.source) is \(radio.state.rawValue)\(reason): run `forgetmenot-gateway doctor` there"
            )
        }
        guard info.problems.isEmpty else { return Finding(subject, .failed, info.problems.joined(separator: "; ")) }
        return Finding(subject, .passed, "receives with \(radio.source)\(view.room(of: id).map { " in \($0)" } ?? "")")
    }

    private var versions: Finding {
        var versions = view.gateways.compactMap { id, gateway in gateway.info.map { (id, $0.version) } }.sorted {
            $0 < $1
        }
        versions += view.namedAggregators.sorted { $0.key < $1.key }.compactMap { name, aggregator in
            aggregator.info.map { ("the aggregator \(name)", $0.version) }
        }
        if let info = view.aggregator.info { versions.insert(("the aggregator", info.version), at: 0) }
        let others = versions.filter { $0.1 != version }
        guard others.isEmpty else {
            let list = others.map { "\($0.0) is \($0.1)" }.joined(separator: ", ")
            return Finding(
                "versions", .failed,
                "\(list), and this program is \(version): upgrade the older programs, and restart them")
        }
        return Finding("versions", .passed, "all programs have version \(version)")
    }
}
