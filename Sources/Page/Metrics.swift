import Beacons
import Hummingbird
import Linux
import Messages
import Synchronization

/// `GET /metrics` in the text format of Prometheus.
extension Routes {
    var metricsRoutes: [Route] {
        [
            Route(.get, "metrics", .reader) { (_) throws(Refused) in
                .text(metrics(), "text/plain; version=0.0.4; charset=utf-8")
            }
        ]
    }

    private func metrics() -> String {
        let census = board.census()
        var text = MetricsText()
        text.gauge("forgetmenot_up", "Whether the aggregator runs and the page is connected to the broker.") {
            $0.sample(census.isAggregatorAlive ? 1 : 0)
        }
        text.gauge("forgetmenot_broker_connected", "Whether the page is connected to the broker.") {
            $0.sample(census.isConnected ? 1 : 0)
        }
        text.gauge("forgetmenot_items", "Items by presence.") {
            for presence in Presence.allCases {
                $0.sample(Double(census.items[presence] ?? 0), [("presence", presence.rawValue)])
            }
        }
        text.gauge("forgetmenot_room_items", "Items that are home, by room.") {
            for (room, count) in census.rooms.sorted(by: { $0.key < $1.key }) {
                $0.sample(Double(count), [("room", room)])
            }
        }
        text.gauge("forgetmenot_gateway_up", "Whether the gateway runs.") {
            for gateway in census.gateways { $0.sample(gateway.isAlive ? 1 : 0, [("gateway", gateway.id)]) }
        }
        text.gauge("forgetmenot_gateway_regions", "Regions that the gateway monitors.") {
            for gateway in census.gateways {
                if let regions = gateway.regions { $0.sample(Double(regions), [("gateway", gateway.id)]) }
            }
        }
        text.gauge("forgetmenot_notifications", "Active notifications.") { $0.sample(Double(census.notifications)) }
        text.gauge("forgetmenot_problems", "Problems that the aggregator reports.") {
            $0.sample(Double(census.problems))
        }
        text.gauge("forgetmenot_event_streams", "Open event streams of the page.") {
            $0.sample(Double(census.streams))
        }
        text.counter("forgetmenot_http_responses_total", "HTTP responses by the class of their status.") {
            for (status, count) in board.responses.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
                $0.sample(Double(count), [("class", "\(status)xx")])
            }
        }
        if let size = store?.lastSize {
            text.gauge("forgetmenot_history_size_bytes", "Size of the history.") { $0.sample(Double(size)) }
        }
        text.counter("process_cpu_seconds_total", "Processor time of the aggregator's process.") {
            $0.sample(Clock.processorTime.seconds)
        }
        return text.text
    }
}

/// Builds the text format of Prometheus.
private struct MetricsText {
    var text = ""
    private var name = ""

    mutating func gauge(_ name: String, _ help: String, _ body: (inout MetricsText) -> Void) {
        begin(name, help, "gauge", body)
    }

    mutating func counter(_ name: String, _ help: String, _ body: (inout MetricsText) -> Void) {
        begin(name, help, "counter", body)
    }

    private mutating func begin(_ name: String, _ help: String, _ type: String, _ body: (inout MetricsText) -> Void) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        self.name = name
        body(&self)
    }

    mutating func sample(_ value: Double, _ labels: [(String, String)] = []) {
        let pairs = labels.map { key, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(key)=\"\(escaped)\""
        }
        text += name + (pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") + " \(value)\n"
    }
}
