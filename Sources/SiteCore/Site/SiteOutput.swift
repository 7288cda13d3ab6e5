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
    /// What the driver has the service do as it is.
    case perform(SiteDriver.Action)
}
