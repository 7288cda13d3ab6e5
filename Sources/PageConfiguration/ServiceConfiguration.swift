import Settings
import SiteCore
import Text

/// The content of aggregator.toml: what the aggregator decides with, and what runs beside it.
package struct ServiceConfiguration: Hashable, Sendable {
    /// What the aggregator decides with.
    package var aggregator: AggregatorConfiguration
    /// The web page and the HTTP interface.
    package var page: PageSettings
    /// Where items were.
    package var history: HistorySettings

    /// Reads the whole file, and the plan that was drawn on the page.
    package init(_ root: SettingsTable, drawn: SettingsTable? = nil) {
        aggregator = AggregatorConfiguration(root, drawn: drawn)
        page = PageSettings(root.table("page"))
        history = HistorySettings(root.table("history"))
        // An aggregator of a part of the site has neither.
        if aggregator.subscribe.name != nil { (page.isEnabled, history.isEnabled) = (false, false) }
        aggregator.hasHistory = history.isEnabled
        aggregator.pageURL = page.url
        aggregator.site.texts = Texts(root)
    }
}
