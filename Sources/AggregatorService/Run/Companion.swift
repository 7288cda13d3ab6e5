import Channels
import PageConfiguration

/// What runs beside the service in the same process, on threads of its own: the page.
package struct Companion {
    /// The push services that the subscriptions of browsers may name.
    package var pushServices: [String]
    /// Starts it, after the service has blocked its signals.
    package var start: () -> Void
    /// Passes on a configuration that was read again; returns the tables that only the next start takes up.
    package var reload: (ServiceConfiguration) -> [String]
    /// What is wrong with it, in a sentence; `nil` if nothing is.
    package var problem: () -> String?
    /// Removes a subscription that its browser has ended, without waiting for the disk.
    package var unsubscribe: (PushSubscription) -> Void
    /// Ends it, within a second.
    package var stop: () -> Void

    package init(
        pushServices: [String], start: @escaping () -> Void, reload: @escaping (ServiceConfiguration) -> [String],
        problem: @escaping () -> String?, unsubscribe: @escaping (PushSubscription) -> Void,
        stop: @escaping () -> Void
    ) {
        self.pushServices = pushServices
        self.start = start
        self.reload = reload
        self.problem = problem
        self.unsubscribe = unsubscribe
        self.stop = stop
    }
}
