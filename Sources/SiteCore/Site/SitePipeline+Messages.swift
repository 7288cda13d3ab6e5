import Beacons
import Channels
import Messages

/// The messages to persons: decided by the parts of the pipeline, stored with the site, and then delivered.
extension SitePipeline {
    static let mostChannelTests = 8

    /// Applies what was decided about messages, and begins the deliveries that are due.
    mutating func advanceMessages() {
        guard !messages.isIdle || !effects.messages.isEmpty else { return }
        let (now, problems) = (effects.now, messages.problems)
        for change in effects.messages { messages.apply(change, at: now) }
        effects.messages = []
        if status.isConnected, isSettled, items.phase == .present { messages.pastIsKnown(at: now.instant) }
        let deliveries = messages.startDeliveries(isActive: isActive, at: now.instant)
        // The site with the decision and the message is one write, and goes before the message.
        if messages.hasChanged { effects.add(.storeSiteNow) }
        messages.hasChanged = false
        for delivery in deliveries { effects.perform(.deliver(delivery)) }
        for test in messages.finishedTests(at: now.instant) {
            guard let request = channelTests.removeValue(forKey: test.id) else { continue }
            let channels = test.results.map { channel, outcome in
                let problem = if let outcome { outcome.problem } else { "no response yet" as String? }
                return ChannelTestResponse.Channel(name: channel.name, problem: problem)
            }
            let outcome = Response<ChannelTestResponse>.Outcome.done(ChannelTestResponse(channels: channels))
            effects.reply(SiteRequest.testPerson.rawValue, request, outcome)
        }
        if messages.problems != problems { effects.infoChanged() }
    }

    /// Notes what became of a delivery.
    mutating func delivered(_ number: UInt64, _ outcome: DeliveryOutcome, at moment: Moment) {
        effects.now = moment
        let problems = messages.problems
        messages.finish(number, outcome, at: moment.instant, using: &random)
        if messages.problems != problems { effects.infoChanged() }
    }

    /// Responds to a request; returns whether the request is one about messages to persons.
    mutating func respond(toMessages what: String, _ request: Request) throws(Refused) -> Bool {
        switch SiteRequest(rawValue: what) {
        case .testPerson:
            let person = try request.asked(NameOrID.self).name
            guard channelTests.count < Self.mostChannelTests else {
                throw Refused("Too many tests run: try again in 5 s.")
            }
            let id = UInt64.random(in: 0 ... .max, using: &random)
            guard messages.test(person, id: id, at: effects.now) else {
                throw Refused(
                    "There is no channel of \"\(person)\": subscribe a browser on the page, or add a [[channel]] with that person."
                )
            }
            channelTests[id] = request
        case .acknowledgeMessage:
            let token = try request.asked(MessageToken.self).token
            guard let message = messages.acknowledge(token: token, at: effects.now.instant) else {
                throw Refused("There is no message to acknowledge: it was acknowledged, or is out of date.")
            }
            // Other notifications of the same items stay.
            let kind = Notification.Kind(rawValue: message.key)
            for item in message.items where kind != nil { reports.items.acknowledge(item, only: kind, &effects) }
            effects.reply(what, request, .done(Nothing()))
        default: return false
        }
        return true
    }
}
