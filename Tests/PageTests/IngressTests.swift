import HTTPTypes
import PageConfiguration
import Testing

@testable import Page

/// The page in Home Assistant's sidebar.
struct IngressTests {
    private static let page = "address = \"0.0.0.0:8124\"\ningress = true\ningress_readers = [\"tablet\"]\n"

    /// The headers with which the supervisor names a user.
    private func user(_ name: String) -> HTTPFields {
        [
            HTTPField.Name("X-Remote-User-Id")!: "0123456789abcdef", HTTPField.Name("X-Remote-User-Name")!: name,
            HTTPField.Name("X-Remote-User-Display-Name")!: "The \(name)",
        ]
    }

    @Test func `only Home Assistant's supervisor reaches a page in the sidebar`() async throws {
        let page = try TestPage(page: Self.page)
        for path in ["/", "/healthz", "/api/v1/items"] {
            #expect(try await page.status(path, from: "172.30.32.1", user("anna")) == 403, "\(path)")
            #expect(try await page.status(path, from: "127.0.0.1", user("anna")) == 403, "\(path)")
            #expect(try await page.status(path, from: PageSettings.supervisor, user("anna")) != 403, "\(path)")
        }
        // The supervisor's watchdog is no user.
        #expect(try await page.status("/healthz", from: PageSettings.supervisor) == 503)
        #expect(try await page.status("/api/v1/items", from: PageSettings.supervisor) == 401)
    }

    @Test func `a user of Home Assistant may change everything in the sidebar, and a reader nothing`() async throws {
        let page = try TestPage(page: Self.page)
        let anna = try page.routes.accounts.caller(of: user("anna"))
        #expect(anna.name == "The anna" && anna.role == .admin)
        #expect(try page.routes.accounts.caller(of: user("tablet")).role == .reader)
        var headers = user("anna")
        // Another site's page in the same browser cannot know this text.
        #expect(
            try await page.status("/api/v1/items/bag", method: .delete, from: PageSettings.supervisor, headers) == 403)
        headers[TestPage.csrf] = anna.csrf
        #expect(
            try await page.status("/api/v1/items/bag", method: .delete, from: PageSettings.supervisor, headers) == 404)
        headers = user("tablet")
        headers[TestPage.csrf] = anna.csrf
        #expect(try await page.status("/api/v1/items", from: PageSettings.supervisor, headers) == 200)
        #expect(
            try await page.status("/api/v1/items/bag", method: .delete, from: PageSettings.supervisor, headers) == 403)
    }

    @Test func `a reader is a reader however the name is written, and so is a user without a name`() throws {
        // Home Assistant stores names without case and without spaces around them, and the display name is no name.
        let page = try TestPage(page: Self.page.replacing("tablet", with: " TaBlet\", \"Straße"))
        for name in ["tablet", "Tablet", " TABLET ", "strasse"] {
            #expect(try page.routes.accounts.caller(of: user(name)).role == .reader, "\(name)")
        }
        #expect(try page.routes.accounts.caller(of: user("tablets")).role == .admin)
        var nameless = user("anna")
        nameless[HTTPField.Name("X-Remote-User-Name")!] = nil
        #expect(try page.routes.accounts.caller(of: nameless).role == .reader)
        let open = try TestPage(page: "ingress = true\n")
        #expect(try open.routes.accounts.caller(of: nameless).role == .admin)
    }

    @Test func `nobody signs in at a page in the sidebar, and what an open page believes does not count there`() throws
    {
        let page = try TestPage(page: "ingress = true\n")
        #expect(!page.routes.settings.needsSignIn && !page.routes.settings.isOpen)
        #expect(try page.routes.accounts.caller(of: [:]) == .nobody)
        #expect(try page.routes.accounts.caller(of: [.authorization: "Bearer nothing"]) == .nobody)
    }
}
