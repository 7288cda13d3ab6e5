/// What `setup` finds on the machine, once the broker's files are written.
struct SetupState: Hashable {
    enum Broker: CaseIterable {
        /// It does not run, or lets in clients without a password, or refuses the aggregator.
        case open
        /// It requires passwords, and has not loaded the files as they are now.
        case outdated
        /// It requires passwords, and knows all of them.
        case current
    }

    /// What changes the machine.
    enum Step: CaseIterable {
        case loadBroker, giveAccess, startAggregator, setUpGateway
    }

    var broker: Broker
    /// Whether the user's files name this broker; also `true` if no user is set up.
    var hasAccess: Bool
    /// Whether the aggregator runs with its configuration of now, and starts with the machine.
    var isAggregatorCurrent: Bool
    /// The same of this machine's gateway; also `true` if no gateway is set up.
    var isGatewayCurrent: Bool

    /// The steps to do, in order: none if everything works.
    ///
    /// Clients of a broker that was open run without a password, or not at all. Those of an outdated broker connect again by themselves.
    var steps: [Step] {
        var steps: [Step] = []
        if broker != .current { steps.append(.loadBroker) }
        if !hasAccess { steps.append(.giveAccess) }
        if broker == .open || !isAggregatorCurrent { steps.append(.startAggregator) }
        if !isGatewayCurrent { steps.append(.setUpGateway) }
        return steps
    }
}

/// The options of `setup`. For those that are missing, `setup` asks.
package struct SiteSetupWords: Hashable, Sendable {
    /// The user of this machine who uses the commands.
    package var user: String?
    /// The room of this machine's gateway; an empty text: this machine is no gateway.
    package var room: String?
    package var mayLock = false
    /// The radio of this machine's gateway, as in `radio.source`.
    package var source: String?

    package init() {}

    enum Option { case user, room, yes }

    /// The options that are missing. The room is not missing without the gateway's program, nor the lock if mosquitto has our configuration.
    func missing(hasGateway: Bool, isLocked: Bool) -> [Option] {
        var missing: [Option] = []
        if user == nil { missing.append(.user) }
        if room == nil, hasGateway { missing.append(.room) }
        if !mayLock, !isLocked { missing.append(.yes) }
        return missing
    }
}
