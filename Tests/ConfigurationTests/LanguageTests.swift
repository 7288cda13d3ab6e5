import PageConfiguration
import Settings
import Testing
import Text

struct LanguageTests {
    private func read(_ text: String) -> SettingsReading<ServiceConfiguration> {
        readSettings(Array(text.utf8), file: "aggregator.toml") { ServiceConfiguration($0) }
    }

    @Test func `the language of messages is English without the key, and that of the key`() throws {
        let (english, german) = (
            try #require(read("").configuration), try #require(read("language = \"de\"").configuration)
        )
        #expect(english.aggregator.site.texts.localized("A test") == "A test")
        #expect(german.aggregator.site.texts.localized("A test") == "Ein Test")
        #expect(english.aggregator.site.texts.others.map { $0.localized("A test") } == ["Ein Test"])
        #expect(german.aggregator.site.texts.others.map { $0.localized("A test") } == ["A test"])
        #expect(read("language = \"en\"").configuration == english)
    }

    @Test(arguments: ["fr", "de-at", "english"])
    func `an unknown language is a problem that names those that exist`(language: String) {
        #expect(
            Reference.aggregator.problems(of: "language = \"\(language)\"")
                == ["deploy/aggregator.toml:1: language is \"\(language)\": write one of \"en\", \"de\""])
    }
}
