import Beacons
import Testing

@testable import Page
@testable import PageConfiguration

/// What limits attempts to sign in.
struct AccountsTests {
    private static let address = "192.0.2.7"
    private static let now = Instant(nanoseconds: 1_000_000_000)

    /// Two users; the cost of a guess is the lowest that a configuration may have.
    private func accounts() throws -> Accounts {
        var settings = PageSettings()
        settings.users = try [("anna", PageSettings.Role.admin), ("rita", .reader)].map { name, role in
            let salt = [UInt8](repeating: 7, count: 16)
            let hash = try #require(Secrets.scrypt("\(name)'s password", salt: salt, cost: 10))
            return PageSettings.User(
                name: name, password: PageSettings.Password(cost: 10, salt: salt, hash: hash), role: role)
        }
        return Accounts(settings, now: { Self.now })
    }

    /// The status of an attempt; 200 if it begins a session.
    private func attempt(
        _ accounts: Accounts, _ name: String, _ password: String, from address: String = address
    ) async -> Int {
        do {
            _ = try await accounts.signIn(name, password, from: address)
            return 200
        } catch {
            return error.status.code
        }
    }

    @Test func `a user's own sign-in clears no failures of another user's password`() async throws {
        let accounts = try accounts()
        var statuses: [Int] = []
        for number in 0..<8 {
            statuses.append(await attempt(accounts, "anna", "guess \(number)"))
            #expect(await attempt(accounts, "rita", "rita's password") == 200)
        }
        #expect(statuses == [401, 401, 401, 401, 401, 429, 429, 429])
        #expect(await attempt(accounts, "anna", "anna's password") == 429)
        // Who sits elsewhere signs in, and that does not help the guesser either.
        #expect(await attempt(accounts, "anna", "anna's password", from: "192.0.2.8") == 200)
        #expect(await attempt(accounts, "anna", "guess 8") == 429)
    }

    @Test func `a user who signs in has all attempts again`() async throws {
        let accounts = try accounts()
        for _ in 0..<2 {
            for _ in 1..<Accounts.mostFailures { #expect(await attempt(accounts, "anna", "typo") == 401) }
            #expect(await attempt(accounts, "anna", "anna's password") == 200)
        }
    }

    @Test func `guesses with names that nobody has count together, and hide no guess at a password`() async throws {
        let accounts = try accounts()
        var statuses: [Int] = []
        for number in 0..<7 { statuses.append(await attempt(accounts, "name \(number)", "guess")) }
        #expect(statuses == [401, 401, 401, 401, 401, 429, 429])
        #expect(await attempt(accounts, "anna", "anna's password") == 200)
        // A full table forgets the oldest failures, and counts new ones all the same.
        for number in 0...Accounts.mostAddresses {
            #expect(await attempt(accounts, "anna", "guess", from: "2001:db8::\(number)") == 401)
        }
        statuses = []
        for _ in 0..<6 { statuses.append(await attempt(accounts, "anna", "guess", from: "2001:db8::ffff:1")) }
        #expect(statuses == [401, 401, 401, 401, 401, 429])
    }
}
