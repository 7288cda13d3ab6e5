import Beacons
import Delivery
import Messages

/// The two connections of an aggregator that is one of several.
///
/// Its own connection receives everything all the time, active or not. The seat, a connection with the client id that all share, publishes.
/// So nothing is missed when the seat changes, and who has lost the seat can publish nothing.
extension SiteDriver {
    /// Handles what the own connection of one of several aggregators reports and the only connection of a single one does not; returns
    /// whether that is all there is to do.
    mutating func handleBesideSeat(_ event: BrokerEvent, at moment: Moment) -> Bool {
        guard let standby = pipeline.standby else { return false }
        switch event {
        case .connected:
            log(.notice, "Connected to the broker \(configuration.broker.endpoint)")
            actions.append(.publishOnOwnConnection(member(standby.name, .online)))
            pipeline.connected(at: moment)
        case .disconnected(let fault):
            pipeline.disconnected(at: moment)
            log(.warning, "The connection to the broker ended: \(fault)")
        // Whatever is to be acknowledged is published over the seat.
        case .acknowledged, .refused: break
        default: return false
        }
        return true
    }

    /// Handles what the seat reports.
    mutating func handle(seat event: BrokerEvent, at moment: Moment) {
        switch event {
        case .connected:
            messenger.connected()
            pipeline.seatTaken(at: moment)
        case .disconnected(let fault):
            messenger.disconnected(&pipeline.log)
            pipeline.seatLost(at: moment)
            actions.append(.releaseSeat)
            log(.notice, "This aggregator is on standby: \(fault)")
        case .acknowledged, .refused: handle(event, at: moment)
        default: break
        }
    }

    /// Lets time pass for the question which of several aggregators is active.
    mutating func advanceSeat(to moment: Moment) {
        switch pipeline.nextSeatStep(at: moment) {
        case .claim:
            log(.notice, "No aggregator is active: this one takes over")
            actions.append(.claimSeat)
        case .release:
            messenger.disconnected(&pipeline.log)
            actions.append(.releaseSeat)
        case .ask:
            actions.append(
                .publishOnOwnConnection(OutgoingMessage(pipeline.questionToActive, under: pipeline.effects.prefix)))
        case nil: break
        }
    }

    /// An output as it is carried out; `nil` if it is not, because another aggregator is active.
    mutating func heldBack(_ output: SiteOutput) -> SiteOutput? {
        guard pipeline.standby != nil else { return output }
        switch output {
        case .publish(let message):
            if case .gatewayRequest = message.topic {
                actions.append(.publishOnOwnConnection(OutgoingMessage(message, under: pipeline.effects.prefix)))
                return nil
            }
            // Its own log, for the history of the other one.
            if message.topic == .response(.history), !pipeline.isActive {
                actions.append(.publishOnOwnConnection(OutgoingMessage(message, under: pipeline.effects.prefix)))
                return nil
            }
            // The heartbeat is what an aggregator that takes over waits for itself.
            return pipeline.isActive || message.topic == .aggregatorInfo && messenger.isConnected ? output : nil
        case .publishElsewhere, .notify: return pipeline.isActive ? output : nil
        case .fetch, .storeSite, .storeSiteNow, .storeSurveys, .storePast, .learn, .note: return output
        }
    }

    /// What the other aggregators learn of this one.
    private func member(_ name: String, _ availability: Availability) -> OutgoingMessage {
        OutgoingMessage(Message(.aggregatorMember(name: name), availability), under: pipeline.effects.prefix)
    }

    /// The last message on the own connection of one of several aggregators.
    package var memberFarewell: [OutgoingMessage] {
        pipeline.standby.map { [member($0.name, .offline)] } ?? []
    }
}
