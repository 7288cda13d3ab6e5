import SiteCore

/// What runs beside the service in the same process, on threads of its own: the page.
package struct Companion {
    /// Starts it, after the service has blocked its signals.
    package var start: () -> Void
    /// Passes on a configuration that was read again.
    package var reload: (AggregatorConfiguration) -> Void
    /// What is wrong with it, in a sentence; `nil` if nothing is.
    package var problem: () -> String?
    /// Ends it, within a second.
    package var stop: () -> Void

    /// A companion from all its properties.
    package init(
        start: @escaping () -> Void, reload: @escaping (AggregatorConfiguration) -> Void,
        problem: @escaping () -> String?, stop: @escaping () -> Void
    ) {
        self.start = start
        self.reload = reload
        self.problem = problem
        self.stop = stop
    }
}
