import Linux
import Logging
import Settings

/// Writes one line per message to standard error, for people and for systemd.
///
/// Under systemd a line begins with its priority, `<4>`, which systemd removes. Otherwise it begins with the time and the level.
package struct ServiceLogHandler: LogHandler {
    /// The least level that is written.
    package var logLevel = Logger.Level.info
    /// What a logger carries along; none of it is written.
    package var metadata: Logger.Metadata = [:]
    private let isSystemd: Bool

    /// A handler for this process's standard error.
    package init(isSystemd: Bool) {
        self.isSystemd = isSystemd
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let text = "\(event.message)".split(separator: "\n").joined(separator: " ")
        printError(isSystemd ? "<\(event.level.priority)>\(text)" : "\(Clock.wall) \(event.level): \(text)")
    }
}

extension Logger {
    /// The log of one of the two programs.
    ///
    /// - Parameters:
    ///   - level: the least level that is written.
    ///   - isVerbose: whether everything is written, whatever `level` is.
    package static func forService(_ label: String, _ level: LogLevel = .info, isVerbose: Bool = false) -> Logger {
        var logger = Logger(label: label) { _ in ServiceLogHandler(isSystemd: isUnderSystemd) }
        logger.logLevel = isVerbose ? .debug : Logger.Level(level)
        return logger
    }

    /// Logs a message from or to the broker, for a user who searches for a problem.
    ///
    /// - Parameter verb: what happened to the message, such as "received".
    package func debug(_ verb: String, _ topic: String, _ payload: [UInt8]) {
        debug("\(verb) \(topic) \(payload.isEmpty ? "(empty)" : readable(payload))")
    }

    /// The first bytes of a payload as one line of text.
    private func readable(_ payload: [UInt8]) -> String {
        let limit = 1000
        let text = String(decoding: payload.prefix(limit), as: UTF8.self)
        return payload.count > limit ? "\(text) ... (\(payload.count) bytes)" : text
    }
}

extension Logger.Level {
    /// The number that syslog has for it.
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
