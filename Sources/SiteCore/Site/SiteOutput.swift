import Delivery
import HomeAssistant
import Messages

/// What the site's pipeline wants done in the world.
package enum SiteOutput: Sendable {
    /// A state or an answer, to be published at once or not at all.
    case publish(Message)
    /// The same on a topic that is not ours.
    case publishElsewhere(ForeignMessage)
    /// The registry was changed by command, and is to be on disk before the answer, which follows, says that it was done.
    case keepNow
    /// Registry or presences changed, and are to be kept on disk.
    case keep
    /// The surveys have changed, and are to be on disk before the answer, which follows, says so.
    case keepSurveys
    /// Enough of the unlabelled past is new to be kept on disk.
    case keepPast
    /// To be learned beside everything else; the result goes to `take(_:of:at:)`.
    case learn(Lesson)
    /// A notification, to be handed to the user's own program.
    case notify([UInt8])
    /// Retained entries of the registry are asked for again.
    case fetch(RegistryFetch.Step)
    /// A line for the log: something a person should know.
    case note(String)
}
