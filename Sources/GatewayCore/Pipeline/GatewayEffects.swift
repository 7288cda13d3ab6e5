import Beacons
import Delivery
import EventLogs
import Messages

/// What a gateway decides in one step, with the time of the step. The parts of the pipeline write to it.
struct GatewayEffects: Sendable {
    let prefix: TopicPrefix
    let gateway: String
    var room: String
    let boot: Boot
    let startedAt: Instant
    var now: Moment
    /// The events, on their way to the disk and to the broker.
    var events: EventPublisher
    /// What has been decided beside events since the outputs were last taken, in order.
    private(set) var outputs: [GatewayOutput] = []
    private(set) var refused: [String: UInt64] = [:]
    private var json = JSONWriter(reserving: 1024)

    init(_ configuration: GatewayConfiguration, boot: Boot, at start: Moment) {
        prefix = configuration.prefix
        gateway = configuration.id
        room = configuration.room
        self.boot = boot
        startedAt = start.instant
        now = start
        events = EventPublisher(boot: boot, configuration.log)
    }

    mutating func add(_ output: GatewayOutput) { outputs.append(output) }

    mutating func perform(_ action: GatewayDriver.Action) { outputs.append(.perform(action)) }

    mutating func publish(_ message: Message) { outputs.append(.publish(message)) }

    mutating func publish(_ topic: Topic, _ payload: some Payload) { publish(Message(topic, payload, using: &json)) }

    /// Writes an event into the log; the log publishes the event.
    mutating func append(_ event: some Payload, on topic: Topic) {
        events.append(topic: topic.name(under: prefix), payload: event.bytes)
    }

    /// Whether this gateway publishes events on a topic of this name.
    var isOwn: (String) -> Bool {
        { [prefix, gateway] name in
            switch Topic(named: name, under: prefix) {
            case .beaconEvent(_, let other), .regionEvent(_, let other): other == gateway
            default: false
            }
        }
    }

    mutating func reply<Value: Body>(_ what: String, _ request: Request, _ outcome: Response<Value>.Outcome) {
        publish(.gatewayResponse(gateway: gateway, what: what), Response(outcome, transaction: request.transaction))
    }

    /// Logs a line that a person should read.
    mutating func note(_ line: String) { perform(.log(.notice, line)) }

    /// Ignores a message from the broker. The first one of each reason is logged.
    mutating func refuse(_ reason: String) {
        if refused[reason] == nil { note("A message from the broker was ignored: \(reason)") }
        refused[reason, default: 0] += 1
    }

    /// Removes and returns the outputs since the last call.
    mutating func drainOutputs() -> [GatewayOutput] {
        defer { outputs.removeAll(keepingCapacity: true) }
        return outputs
    }

    /// The time since the start of this process as an instant; zero before that.
    func uptime(at instant: Instant) -> Instant { max(.zero, .zero + (instant - startedAt)) }

    func stamp(of instant: Instant) -> Stamp {
        Stamp(
            at: now.wall(at: instant), boot: boot, uptime: uptime(at: instant), isClockSynchronised: now.isSynchronised)
    }

    /// The present moment in the form that the event log's disk uses.
    var writtenAt: WrittenAt {
        WrittenAt(uptime: uptime(at: now.instant), wall: now.wall, isSynchronised: now.isSynchronised)
    }
}
