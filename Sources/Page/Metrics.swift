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
        text.gauge(
            "forgetmenot_up", "Whether the aggregator runs and the page is connected to the broker.",
            census.isAggregatorAlive ? 1 : 0)
        text.gauge(
            "forgetmenot_broker_connected", "Whether the page is connected to the broker.", census.isConnected ? 1 : 0)
        text.gauge(
            "forgetmenot_items", "Items by presence.", by: "presence",
            Presence.allCases.map { ($0.rawValue, census.items[$0] ?? 0) })
        text.gauge(
            "forgetmenot_room_items", "Items that are home, by room.", by: "room",
            census.rooms.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        text.gauge(
            "forgetmenot_gateway_up", "Whether the gateway runs.", by: "gateway",
            census.gateways.map { ($0.id, $0.isAlive ? 1 : 0) })
        text.gauge(
            "forgetmenot_gateway_regions", "Regions that the gateway monitors.", by: "gateway",
            census.gateways.compactMap { gateway in gateway.regions.map { (gateway.id, $0) } })
        text.gauge("forgetmenot_notifications", "Active notifications.", census.notifications)
        text.gauge("forgetmenot_problems", "Problems that the aggregator reports.", census.problems)
        text.gauge("forgetmenot_event_streams", "Open event streams of the page.", census.streams)
        text.begin("forgetmenot_http_responses_total", "HTTP responses by the class of their status.", "counter")
        for (status, count) in board.responses.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.sample(Double(count), ("class", "\(status)xx"))
        }
        if let size = store?.lastSize { text.gauge("forgetmenot_history_size_bytes", "Size of the history.", size) }
        text.begin("process_cpu_seconds_total", "Processor time of the aggregator's process.", "counter")
        text.sample(Clock.processorTime.seconds)
        return text.text
    }
}

/// Builds the text format of Prometheus.
private struct MetricsText {
    var text = ""
    private var name = ""

    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        begin(name, help, "gauge")
        sample(Double(value))
    }

    mutating func gauge(_ name: String, _ help: String, by label: String, _ values: [(String, Int)]) {
        begin(name, help, "gauge")
        for (of, value) in values { sample(Double(value), (label, of)) }
    }

    /// Begins a metric; the samples follow.
    mutating func begin(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        self.name = name
    }

    mutating func sample(_ value: Double, _ label: (key: String, value: String)? = nil) {
        let pair = label.map { key, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "{\(key)=\"\(escaped)\"}"
        }
        text += name + (pair ?? "") + " \(value)\n"
    }
}
