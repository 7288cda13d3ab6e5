import Messages
import PageConfiguration
import Settings
import Testing

@testable import Page

/// The page's requests to the aggregator, of which none is responded to: there is no broker.
struct LinkTests {
    @Test func `acknowledgements that anybody may send take only few of the places of all requests, each time`()
        async throws
    {
        let reading = readSettings(Array("[mqtt]\nport = 1\n".utf8), file: "test.toml") { ServiceConfiguration($0) }
        let configuration = try #require(reading.configuration, "\(reading.problems)").aggregator
        for _ in 1...2 {
            let link = try Link(configuration.broker, board: Board(configuration.site, needsSignIn: false))
            try link.start()
            await withTaskGroup(of: Refused?.self) { group in
                for _ in 0..<Link.mostAcknowledgements + 3 {
                    group.addTask {
                        do throws(Refused) {
                            _ = try await link.ask(.acknowledgeMessage, MessageToken(token: "c0"))
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                for _ in 1...3 {
                    let refused = await group.next()!
                    #expect(refused?.status == .tooManyRequests && refused?.headers[.retryAfter] == "1")
                }
                link.stop()
                for await refused in group { #expect(refused?.status == .serviceUnavailable) }
            }
        }
    }
}
