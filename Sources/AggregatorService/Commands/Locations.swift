import Beacons
import Linux
import Messages
import Text

/// Shows where everything is, or one item: `forgetmenot where`.
public func showLocations(
    of item: String?, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    let view = SiteView(try session.retained(for: .viewer))
    var shown = view.sorted
    if let item {
        guard let location = view.location(named: item) else {
            guard view.isAggregatorAlive else {
                throw Failure(
                    .unavailable, "the aggregator is not running, and nothing is known of an item \"\(item)\"")
            }
            throw Failure(.no, "there is no item \"\(item)\": \"forgetmenot items list\" shows them all")
        }
        shown = [location]
    }
    show(shown, asJSON: asJSON)
    guard view.isAggregatorAlive else {
        printError(aggregatorWarning)
        return .unavailable
    }
    return item == nil || shown.allSatisfy { $0.presence == .home } ? .right : .no
}

private func show(_ locations: [ItemLocation], asJSON: Bool) {
    guard !asJSON else {
        printJSON(jsonArray(locations) { $0.write(to: &$1) })
        return
    }
    for line in LocationTable(locations, at: Clock.wall).lines(width: terminalWidth()) { printLine(line) }
}

/// Prints an answer as JSON or as a sentence.
func tell(_ json: [UInt8], _ sentence: String, asJSON: Bool) {
    if asJSON { printJSON(json) } else { printLine(sentence) }
}

/// One array over several lines, an element each.
func jsonArray<Element>(_ elements: [Element], _ write: (Element, inout JSONWriter) -> Void) -> String {
    let lines = elements.map { element in
        var json = JSONWriter()
        write(element, &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
    return lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n]"
}

/// Shows where everything is, live: `forgetmenot watch`. On a terminal one table that changes; elsewhere a line for each change.
public func watchLocations(over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let screen = asJSON ? nil : terminalWidth().map { _ in LiveScreen() }
    var view = SiteView()
    var trouble: String?
    var hasCaughtUp = false
    defer { screen?.end() }
    try session.follow(
        [.viewer], isPatient: true, tick: screen == nil ? nil : .seconds(1),
        onTick: { screen?.draw(liveLines(view, trouble: trouble)) }
    ) { event in
        switch event {
        case .message(let topic, let payload, _):
            if case .aggregatorAvailability = topic { trouble = nil }
            if let location = view.take(topic, payload), screen == nil { tell(location, asJSON: asJSON) }
        case .caughtUp:
            trouble = nil
            if !hasCaughtUp, screen == nil, !view.isAggregatorAlive { printError(aggregatorWarning) }
            hasCaughtUp = true
            screen?.draw(liveLines(view, trouble: trouble))
        case .failing(let reason):
            trouble = reason
            if screen == nil { printError("forgetmenot: \(reason)") }
        }
        return .goOn
    }
    return .right
}

private func tell(_ location: ItemLocation, asJSON: Bool) {
    tell(location.bytes, "\(location.stamp.at)  \(location.name): \(location.place)", asJSON: asJSON)
}

private func liveLines(_ view: SiteView, trouble: String?) -> [String] {
    var lines = LocationTable(view.sorted, at: Clock.wall).lines(width: terminalWidth())
    if view.locations.isEmpty { lines.append("Nothing yet: add a thing with \"forgetmenot items add\".") }
    lines.append("")
    let alive = view.gateways.values.count { $0.availability == .online }
    let note =
        trouble ?? (view.isAggregatorAlive ? nil : "the aggregator is not running: these are the last known locations")
    let foot = "\(alive) of \(view.gateways.count) gateways online" + (note.map { " - \($0)" } ?? "")
    lines.append(truncated(foot + "   (Ctrl-C ends)", to: terminalWidth() ?? 80))
    return lines
}
