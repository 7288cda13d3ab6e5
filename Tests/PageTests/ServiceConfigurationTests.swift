import PageConfiguration
import Settings
import SiteCore
import Testing

@testable import Page

/// The tables of aggregator.toml for the page and the history.
struct ServiceConfigurationTests {
    private func reading(_ text: String) -> SettingsReading<ServiceConfiguration> {
        readSettings(Array(text.utf8), file: "aggregator.toml") { ServiceConfiguration($0) }
    }

    private func configuration(_ text: String) -> ServiceConfiguration? { reading(text).configuration }

    private func published(_ text: String) -> [String] { reading(text).problems.map(\.description) }

    @Test func `an empty file means a page and a history on this machine`() throws {
        let empty = try #require(configuration(""))
        #expect(empty.page == PageSettings() && empty.page.isOpen)
        #expect(empty.history == HistorySettings() && empty.aggregator.hasHistory)
        #expect(configuration("[history]\nenabled = false\n")?.aggregator.hasHistory == false)
    }

    @Test func `an aggregator of a part of the site has neither page nor history`() throws {
        let share = "[[subscribe]]\nuuid = \"f7826da6-4fa2-4e98-8024-bc5b71e0893e\"\n"
        let named = try #require(configuration("name = \"north\"\n" + share))
        #expect(!named.page.isEnabled && !named.history.isEnabled && !named.aggregator.hasHistory)
        #expect(configuration(share)?.page.isEnabled == true)
    }

    @Test func `the problems of all tables are reported at once, by line`() {
        let problems = published("[page]\nport = 1\n[mqtt]\nport = 0\n[history]\nsize_mb = 0\n[pgae]\n")
        #expect(problems.map { $0.split(separator: " ")[0] } == [2, 4, 6, 7].map { "aggregator.toml:\($0):" })
    }

    @Test func `a page and a history that changed are named at a reload`() throws {
        let configured = try #require(configuration(""))
        let page = Page(configured, isVerbose: false) { (_, _) in configured.aggregator }
        #expect(page.reload(try #require(configuration(""))) == [])
        let changed = "[page]\naddress = \"127.0.0.1:1\"\n[history]\nenabled = false\n"
        #expect(page.reload(try #require(configuration(changed))) == ["[page]", "[history]"])
    }

    @Test func `a history's database is a URL of PostgreSQL`() throws {
        let url = "postgresql://site@db.example.org:5432/history?passfile=/etc/forgetmenot/pgpass"
        #expect(configuration("[history]\ndatabase = \"\(url)\"")?.history.database == url)
        #expect(configuration("[history]\ndatabase = \"postgres:///history?host=/run\"")?.history.database != nil)
        #expect(
            published("[history]\ndatabase = \"mysql://db/history\"")[0].contains(
                "is no URL of PostgreSQL: write postgresql://"))
    }

    @Test(arguments: [
        "postgresql://site:secret@db/history", "postgres://u:p@db/history", "postgresql://db/history?password=secret",
        "postgresql://a@b:secret@db/history",
    ])
    func `a password in the URL of a history's database is refused, and is not repeated`(url: String) throws {
        let problems = published("[history]\ndatabase = \"\(url)\"")
        #expect(
            problems.count == 1 && problems.allSatisfy { $0.contains("write the password to a file") }, "\(problems)")
        #expect(problems.allSatisfy { !$0.contains("secret") })
    }

    @Test func `a page in Home Assistant's sidebar has no users of its own, and may be at any address`() throws {
        let page = try #require(configuration("[page]\naddress = \"0.0.0.0:8124\"\ningress = true\n")).page
        #expect(page.isIngress && page.ingressReaders.isEmpty && !page.needsSignIn)
        let user = "[[page.token]]\nname = \"a\"\nsha256 = \"\(String(repeating: "0", count: 64))\"\n"
        #expect(published("[page]\ningress = true\n\(user)").count == 1)
        #expect(published("[page]\ningress = true\nbase_path = \"/home/\"\n")[0].contains("Home Assistant signs"))
    }
}
