import SiteCore

/// What runs beside the service in the same process, on threads of its own: the page.
public struct Companion {
    /// Starts it, after the service has blocked its signals.
    public var start: () -> Void
    /// Passes on a configuration that was read again.
    public var reload: (AggregatorConfiguration) -> Void
    /// What is wrong with it, in a sentence; `nil` if nothing is.
    public var problem: () -> String?
    /// Ends it, within a second.
    public var stop: () -> Void

    /// A companion from all its properties.
    public init(
        start: @escaping () -> Void, reload: @escaping (AggregatorConfiguration) -> Void,
        problem: @escaping () -> String?, stop: @escaping () -> Void
    ) {
        self.start = start
        self.reload = reload
        self.problem = problem
        self.stop = stop
    }
}
