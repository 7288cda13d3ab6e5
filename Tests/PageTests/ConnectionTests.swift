import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import Page

/// Clients that go, and clients that take nothing.
struct ConnectionTests {
    @Test(arguments: ["half", "whole"])
    func `a report is cancelled when its client has gone`(closed: String) async throws {
        let connections = Connections()
        for _ in 0..<2 {
            let channel = try await NIOAsyncTestingChannel {
                try $0.pipeline.syncOperations.addHandler(ConnectionWatch(connections))
            }
            let isCancelled = await connections.compute(for: channel) {
                try? await channel.testingEventLoop.executeInContext {
                    if closed == "half" {
                        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
                    } else {
                        channel.pipeline.fireChannelInactive()
                    }
                }
                return Task.isCancelled
            }
            #expect(isCancelled)
        }
    }

    @Test func `a connection whose client takes nothing is closed, and one whose client goes on is not`() throws {
        let channel = EmbeddedChannel(handler: ConnectionWatch(Connections()))
        for _ in 0..<2 {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(Outgoing.longestPause.seconds) - 1))
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        let isClosed = Mutex(false)
        channel.closeFuture.whenComplete { _ in isClosed.withLock { $0 = true } }
        #expect(!isClosed.withLock { $0 })
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(Outgoing.longestPause.seconds)))
        #expect(isClosed.withLock { $0 })
    }
}
