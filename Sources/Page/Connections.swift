import HTTPTypes
import Messages
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The open connections of the page, and which of them wait for a request.
final class Connections: Sendable {
    static let most = 512
    /// Beyond this number, the connection that has waited longest for a request makes way for a new one.
    static let mostWithIdle = 480

    private struct State {
        var count = 0
        /// Without a complete request, in the order in which they began to wait.
        var idle: [any Channel] = []
        /// By connection, how to cancel what is computed for its client.
        var cancellations: [ObjectIdentifier: @Sendable () -> Void] = [:]
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
        left(channel)
    }

    /// The client of a connection sends nothing any more: it has gone, and nobody waits for a response.
    func left(_ channel: any Channel) { state.withLock { $0.cancellations[ObjectIdentifier(channel)] }?() }

    /// Returns what `body` returns, which is cancelled when the client of a connection goes.
    func compute<Value: Sendable>(
        for channel: any Channel, _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        let task = Task(operation: body)
        state.withLock { $0.cancellations[ObjectIdentifier(channel)] = { task.cancel() } }
        defer { state.withLock { $0.cancellations[ObjectIdentifier(channel)] = nil } }
        return await task.value
    }

    /// A complete request has arrived, or its response was written. A request of which only a part arrives keeps nobody else away.
    func set(_ channel: any Channel, isIdle: Bool) {
        state.withLock {
            $0.idle.removeAll { $0 === channel }
            if isIdle { $0.idle.append(channel) }
        }
    }
}

/// Watches one connection: whether it is open, and whether its client takes what is written. Gives the reason of a refusal that comes without one.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

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

    /// What cannot be read as a request, the server refuses by itself, with an empty body.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        let body = ByteBuffer(
            bytes: jsonObject { $0.field("error", "This is no request of HTTP/1.1, or its head is too large.") })
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.contentLength] = "\(body.readableBytes)"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cutOff?.cancel()
        connections.closed(context.channel)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { connections.left(context.channel) }
        context.fireUserInboundEventTriggered(event)
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
