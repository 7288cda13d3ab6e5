import Linux
import Messages
import Text

/// Which rows of a table are shown that is higher than the terminal.
struct ScrolledRows {
    /// How many rows are above the shown ones.
    private var first = 0
    /// How many rows the terminal has lines for.
    private var page = 1

    /// Moves the rows. `lines` limits the movement to the rows that there are.
    mutating func scroll(by key: Key) {
        switch key {
        case .up: first = max(0, first - 1)
        case .down: first += 1
        case .pageUp: first = max(0, first - page)
        case .pageDown: first += page
        case .home: first = 0
        case .end: first = .max / 2
        case .quit: break
        }
    }

    /// The heading, the shown rows, and which they are if the table has more than `height` lines.
    ///
    /// - Parameter hasKeys: whether the user can scroll.
    mutating func lines(of table: [String], height: Int, hasKeys: Bool) -> [String] {
        let rows = table.dropFirst()
        guard table.count > height else {
            first = 0
            return table
        }
        page = max(1, height - 2)
        first = hasKeys ? min(first, rows.count - page) : 0
        let foot =
            hasKeys
            ? "\(first + 1) to \(first + page) of \(rows.count): ↑, ↓, Page Up, Page Down, Home and End scroll"
            : "and \(rows.count - page) more: make the terminal higher, or use \"forgetmenot where\""
        return Array(table.prefix(1)) + rows.dropFirst(first).prefix(page) + [foot]
    }
}

/// The screen of `watch`: the items, the notifications, a blank line and the gateways. A third of the lines at most is for notifications.
func liveLines(
    _ view: SiteView, _ rows: inout ScrolledRows, note: String?, width: Int? = terminalWidth(),
    height: Int = terminalHeight() ?? 25, hasKeys: Bool = false
) -> [String] {
    let width = width ?? 80
    let due = view.notifications.values.sorted { ($0.since, $0.item) < ($1.since, $1.item) }
        .map { wrapped($0.line, to: width) }
    let most = max(1, height / 3)
    var notifications: [String] = []
    for (index, lines) in due.enumerated() {
        let rest = due.count - index
        guard notifications.count + lines.count + (rest > 1 ? 1 : 0) <= most else {
            notifications.append("! and \(rest) more notification\(rest == 1 ? "" : "s")")
            break
        }
        notifications += lines
    }
    let table = LocationTable(view.sorted, people: view.sortedPeople, of: view, at: Clock.wall).lines(width: width)
    // The cursor has a line of its own.
    var lines =
        rows.lines(of: table, height: max(3, height - 3 - notifications.count), hasKeys: hasKeys) + notifications
    if view.locations.isEmpty { lines.append(noItems) }
    lines.append("")
    let alive = view.gateways.keys.count { view.isAlive(gateway: $0) }
    let foot = "\(alive) of \(view.gateways.count) gateways online" + (note.map { " - \($0)" } ?? "")
    lines.append(foot + (hasKeys ? "   (q ends)" : "   (Ctrl-C ends)"))
    return lines.map { truncated($0, to: width) }
}

extension Notification {
    /// The message and the command that ends its repetitions.
    var line: String { "! \(message) (forgetmenot acknowledge \(item))" }
}
