import Delivery
import HomeAssistant
import Messages

/// What the pipeline wants done in the world.
package enum GatewayOutput: Sendable {
    /// A state, or an answer: to be published at once, or not at all.
    case publish(Message)
    /// The same on a topic that is not ours.
    case publishElsewhere(ForeignMessage)
    /// The radio is to be asked whether it listens.
    case proveRadio
    /// The radio is to begin again from nothing.
    case restartRadio
    /// The registry has changed, and is to be kept on disk.
    case keepRegistry
    /// Events are asked for that only the disk has: `answerEvents` wants what it says.
    case answerEvents(Request)
    /// Retained entries of the registry are asked for again.
    case fetch(RegistryFetch.Step)
    /// What the process costs is wanted for the next telemetry.
    case telemetryIsDue
    /// A line for the log: something a person should know.
    case note(String)
}
