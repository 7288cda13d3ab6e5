import Ranging

extension GatewayPipeline {
    /// The problem in `info` while the gateway receives nothing, or hardly anything, although the adapter responds.
    static let outageProblem =
        "the gateway suddenly receives nothing, or hardly anything, though its adapter responds: exits wait for up to 3 min; look for "
        + "interference, or a bad antenna"

    /// Reports in `info` that the gateway receives nothing, and the end of that.
    mutating func noteOutage() {
        let isOutage = monitor.outage(at: now.instant) != nil
        guard isOutage != problems.contains(Self.outageProblem) else { return }
        outputs.append(.note(isOutage ? "Outage: \(Self.outageProblem)" : "The gateway receives advertisements again"))
        replace(problem: Self.outageProblem, by: isOutage ? Self.outageProblem : nil, at: now)
    }
}
