import Channels
import Delivery
import HomeAssistant
import Messages

/// A decision of the site's pipeline that its driver carries out.
package enum SiteOutput: Sendable {
    /// Publish a state or a response now, or drop it.
    case publish(Message)
    /// Publish the aggregator's `info` now, or drop it.
    case info(AggregatorInfo)
    /// Publish on a topic outside the project's prefix.
    case publishElsewhere(ForeignMessage)
    /// Write the site before the response that follows: a command has changed the registry.
    case storeSiteNow
    /// Write the site soon: the registry or the state of an item has changed.
    case storeSite
    /// Write the surveys before the response that follows.
    case storeSurveys
    /// Write the unlabelled past.
    case storePast
    /// Learn in the background. The result goes to `SiteDriver.adopt(_:of:at:)`.
    case learn(Lesson)
    /// Hand a notification to the user's own program.
    case notify([UInt8])
    /// Bring a message to a person's phone; respond with the outcome.
    case deliver(Channels.Delivery)
    /// Subscribe to entries of the registry again, or unsubscribe.
    case fetch(RegistryFetch.Step)
    /// Write a line to the log.
    case note(String)
    /// Write a problem to the log.
    case warning(String)
}
