import Messages

/// The events of a test's gateways, by gateway.
typealias TestEventLogs = [String: [BeaconEvent]]

extension TestEventLogs {
    /// The response of a gateway that a message asks for its events; `nil` if the message is no such request.
    ///
    /// - Parameter stamp: the gateway's clocks.
    func response(to topic: String, _ payload: [UInt8], at stamp: Stamp) -> Message? {
        guard case .gatewayRequest(let gateway, "events") = Topic(named: topic, under: .standard) else { return nil }
        let request = Request(parsing: payload)
        guard let asked = try? request.body(EventsRequest.self) else { return nil }
        let events = (self[gateway] ?? []).filter { (asked.seqs.from...asked.seqs.to).contains($0.seq) }
        let clock = EventsResponse.Uptime(boot: stamp.boot, uptime: stamp.uptime)
        let response = Response(
            .done(EventsResponse(events: events.map { .beacon($0) }, now: clock)), transaction: request.transaction)
        return Message(.gatewayResponse(gateway: gateway, what: "events"), bytes: response.bytes)
    }
}
