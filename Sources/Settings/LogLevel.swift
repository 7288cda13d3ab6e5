/// How much a line of a service's log matters; as a setting, the least level that is written.
package enum LogLevel: String, CaseIterable, Hashable, Sendable {
    /// Every message from and to the broker, and every write to the event log.
    case debug
    case info
    case notice
    case warning
    case error
}
