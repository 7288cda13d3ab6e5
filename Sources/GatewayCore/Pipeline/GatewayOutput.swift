import Delivery
import HomeAssistant
import Messages

/// A task for the driver of a pipeline.
package enum GatewayOutput: Sendable {
    /// Publish a state or a response at once, or not at all.
    case publish(Message)
    /// Publish a message on a topic outside of our prefix.
    case publishElsewhere(ForeignMessage)
    case proveRadio
    case restartRadio
    /// Write the settings that a request has changed to disk, and log from their level on.
    case settingsChanged
    /// Write the components of the gateway's device to disk.
    case storeComponents
    /// Write the changed registry to disk.
    case storeRegistry
    /// Read requested events from the disk, and pass them to `respondWithEvents`.
    case respondWithEvents(Request)
    /// Request retained entries of the registry again.
    case fetch(RegistryFetch.Step)
    /// Measure the process for the next telemetry.
    case telemetryIsDue
    /// Write a line to the log.
    case note(String)
}
