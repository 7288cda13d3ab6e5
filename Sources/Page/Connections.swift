import NIOCore
import Synchronization

/// The open connections of the page, and which of them wait for a request.
final class Connections: Sendable {
    /// The limit of connections.
    static let most = 512
    /// Beyond this number, the connection that has waited longest for a request makes way for a new one.
    static let mostWithIdle = 480

    private struct State {
        var count = 0
        /// Without a complete request, in the order in which they began to wait.
        var idle: [any Channel] = []
    }

    private let state = Mutex(State())

    /// Counts a new connection, and closes an idle one if there are many.
    func opened(_ channel: any Channel) {
        let old = state.withLock { state -> (any Channel)? in
            state.count += 1
            defer { state.idle.append(channel) }
            return state.count > Self.mostWithIdle && !state.idle.isEmpty ? state.idle.removeFirst() : nil
        }
        old?.close(promise: nil)
    }

    func closed(_ channel: any Channel) {
        state.withLock {
            $0.count -= 1
            $0.idle.removeAll { $0 === channel }
        }
    }

    /// A complete request has arrived, or its response was written. A request of which only a part arrives keeps nobody else away.
    func set(_ channel: any Channel, isIdle: Bool) {
        state.withLock {
            $0.idle.removeAll { $0 === channel }
            if isIdle { $0.idle.append(channel) }
        }
    }
}

/// Watches one connection: whether it is open, and whether its client takes what is written.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    /// Bytes that the kernel takes for a client that reads nothing; it would take megabytes, at the cost of the service's memory.
    private static let kernelBuffer: SocketOptionValue = 128 << 10

    private let connections: Connections
    private var cutOff: Scheduled<Void>?

    init(_ connections: Connections) { self.connections = connections }

    func channelActive(context: ChannelHandlerContext) {
        context.channel.setOption(ChannelOptions.socketOption(.so_sndbuf), value: Self.kernelBuffer).whenFailure { _ in
        }
        connections.opened(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cutOff?.cancel()
        connections.closed(context.channel)
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        cutOff?.cancel()
        cutOff = nil
        let channel = context.channel
        if !channel.isWritable {
            cutOff = context.eventLoop.scheduleTask(in: .seconds(Int64(Outgoing.longestPause.seconds))) {
                channel.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }
}
