/// Brings what happened to the history.
final class HistoryFeed: Sendable {
    func connected() {}
    func noticed() {}
    func noticed(_ item: String) {}
    func end() {}
}
