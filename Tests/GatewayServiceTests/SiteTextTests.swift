import Settings
import Testing

@testable import GatewayService

/// What a site sends to a gateway that joins.
struct SiteTextTests {
    private static let text = "id = \"hall\"\nport = 1884\npasswords = \"secret\"\n"

    private func read(_ text: String, at host: String?) -> SettingsReading<GatewaySetupWords> {
        readSettings(Array(text.utf8), file: "the site", otherTables: .ignored) {
            invited(by: $0, at: host, GatewaySetupWords(file: "gateway.toml"))
        }
    }

    @Test func `a site that was found by its announcement has to name its host, and one that was named does not`() {
        for _ in 0..<2 {
            let nameless = read(Self.text, at: nil)
            #expect(nameless.configuration == nil && nameless.problems.count == 1, "\(nameless)")
            #expect(nameless.problems.first?.text.hasPrefix("host is missing: write a text") == true, "\(nameless)")
            let named = read(Self.text + "host = \"site.local\"\n", at: nil)
            #expect(named.configuration?.host == "site.local" && named.problems.isEmpty, "\(named)")
            // The host that the user typed takes precedence.
            for text in [Self.text, Self.text + "host = \"elsewhere\"\n"] {
                let typed = read(text, at: "typed")
                #expect(typed.configuration?.host == "typed" && typed.problems.isEmpty, "\(typed)")
            }
        }
    }
}
