import Testing

@testable import AggregatorService

/// What `setup` does on a machine, from what it finds there: all combinations.
struct SetupStateTests {
    /// Every state that a machine can be in.
    private static let states = SetupState.Broker.allCases.flatMap { broker in
        [false, true].flatMap { access in
            [false, true].flatMap { aggregator in
                [false, true].map {
                    SetupState(
                        broker: broker, hasAccess: access, isAggregatorCurrent: aggregator, isGatewayCurrent: $0)
                }
            }
        }
    }

    @Test func `a machine where everything works needs no step, and every other machine needs some`() {
        for state in Self.states {
            let isRight =
                state.broker == .current && state.hasAccess && state.isAggregatorCurrent && state.isGatewayCurrent
            #expect(state.steps.isEmpty == isRight, "\(state)")
        }
    }

    @Test func `the broker's files are loaded exactly if mosquitto does not know them, before all other steps`() {
        for state in Self.states {
            #expect(state.steps.contains(.loadBroker) == (state.broker != .current), "\(state)")
            #expect(state.steps.lastIndex(of: .loadBroker) ?? 0 == 0, "\(state)")
        }
    }

    @Test func `a user gets access exactly if the user has none`() {
        for state in Self.states { #expect(state.steps.contains(.giveAccess) == !state.hasAccess, "\(state)") }
    }

    @Test func `an aggregator that works is restarted only if the broker was open`() {
        for state in Self.states {
            let isDue = !state.isAggregatorCurrent || state.broker == .open
            #expect(state.steps.contains(.startAggregator) == isDue, "\(state)")
        }
    }

    @Test func `a gateway is set up exactly if it does not work, and after everything else`() {
        for state in Self.states {
            #expect(state.steps.contains(.setUpGateway) == !state.isGatewayCurrent, "\(state)")
            #expect(state.isGatewayCurrent || state.steps.last == .setUpGateway, "\(state)")
        }
    }

    @Test func `no step is done twice, and what the steps achieve needs no further step`() {
        for state in Self.states {
            #expect(Set(state.steps).count == state.steps.count, "\(state)")
            var after = state
            for step in state.steps {
                switch step {
                case .loadBroker: after.broker = .current
                case .giveAccess: after.hasAccess = true
                case .startAggregator: after.isAggregatorCurrent = true
                case .setUpGateway: after.isGatewayCurrent = true
                }
            }
            #expect(after.steps.isEmpty, "\(state)")
        }
    }

    @Test func `setup asks for what is missing and matters`() {
        for (user, room, mayLock, hasGateway, isLocked) in Self.options {
            var words = SiteSetupWords()
            (words.user, words.room, words.mayLock) = (user, room, mayLock)
            let missing = words.missing(hasGateway: hasGateway, isLocked: isLocked)
            #expect(missing.contains(.user) == (user == nil), "\(words)")
            #expect(missing.contains(.room) == (room == nil && hasGateway), "\(words)")
            #expect(missing.contains(.yes) == (!mayLock && !isLocked), "\(words)")
        }
    }

    private static var options: [(String?, String?, Bool, Bool, Bool)] {
        (0..<32).map { bits in
            let isSet = (0..<5).map { bits >> $0 & 1 == 1 }
            return (isSet[0] ? "anna" : nil, isSet[1] ? "" : nil, isSet[2], isSet[3], isSet[4])
        }
    }
}
