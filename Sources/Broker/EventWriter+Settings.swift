import Journal
import Settings

extension EventWriter.Limits {
    /// The limits of `[log]`.
    public init(_ settings: LogSettings) {
        self.init(bytes: settings.megabytes << 20, age: settings.keepFor, within: settings.commitWithin)
    }
}
