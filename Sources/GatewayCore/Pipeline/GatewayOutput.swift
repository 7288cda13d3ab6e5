import HomeAssistant
import Messages

/// A task for the driver of a pipeline.
package enum GatewayOutput: Sendable {
    /// Publish a state or a response at once, or not at all.
    case publish(Message)
    /// Publish a message on a topic outside of our prefix.
    case publishElsewhere(ForeignMessage)
    /// Write the settings that a request has changed to disk, and log from their level on.
    case settingsChanged
    /// Write the components of the gateway's device to disk.
    case storeComponents
    /// Write the changed registry to disk.
    case storeRegistry
    /// What the driver has the service do as it is.
    case perform(GatewayDriver.Action)
}
