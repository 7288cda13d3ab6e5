import Beacons
import Messages

/// A mistake that is made on purpose between a pipeline and its world, so that each check has been seen to find something.
package enum PlantedBug: String, CaseIterable, Sendable {
    /// For half of each two minutes a gateway's pipeline does not get what its adapter receives.
    case missesAdvertisements = "misses-advertisements"
    /// Enters are published twice.
    case entersTwice = "enters-twice"
    /// A pipeline does not learn that its radio no longer scans.
    case ignoresTheRadio = "ignores-the-radio"
    /// The pipeline's monotonic clock follows the wall's.
    case livesByTheWall = "lives-by-the-wall"
    /// What was stored over a restart is not restored.
    case forgetsOverRestarts = "forgets-over-restarts"
    /// A table reports that it holds more than it may.
    case growsWithoutLimit = "grows-without-limit"
    /// Exits never leave the gateway.
    case losesExits = "loses-exits"
    /// The aggregator reports a room that does not exist.
    case guessesRooms = "guesses-rooms"
    /// What a gateway takes back is handed to the aggregator as an exit.
    case takesSilenceForAnExit = "takes-silence-for-an-exit"
    /// What a gateway takes back is handed to the aggregator as an enter.
    case takesSilenceForAnEnter = "takes-silence-for-an-enter"
    /// Exits are dated two seconds late.
    case datesLate = "dates-late"
    /// Each exit is followed by an enter and an exit at once.
    case flaps = "flaps"
    /// States do not wait for the events that wait for the disk.
    case statesRunAhead = "states-run-ahead"
    /// Every tenth number is left out.
    case skipsNumbers = "skips-numbers"
    /// The events of an item are published twice.
    case returnsTwice = "returns-twice"
    /// Payloads of events are cut off.
    case garblesEvents = "garbles-events"
    /// A gateway sleeps for 2 s once it has read what a request asks for, as if nothing else happened meanwhile.
    case delaysResponses = "delays-responses"

    /// What it breaks, among others perhaps.
    package var breaks: Invariant {
        switch self {
        case .missesAdvertisements: .exitNeedsSilence
        case .entersTwice: .enterAndExitAlternate
        case .ignoresTheRadio: .blindKnowsNothing
        case .livesByTheWall: .clocksChangeNothing
        case .forgetsOverRestarts: .restartIsNoEvent
        case .growsWithoutLimit: .tablesAreBounded
        case .losesExits: .presenceAgrees
        case .guessesRooms: .roomIsPlausible
        case .takesSilenceForAnExit: .deadIsNotEmpty
        case .takesSilenceForAnEnter: .returnsAreReceived
        case .datesLate: .datedWhenItHappened
        case .flaps: .nothingFlaps
        case .statesRunAhead: .statesFollowEvents
        case .skipsNumbers: .numbersHaveNoHoles
        case .returnsTwice: .leftAndReturnedAlternate
        case .garblesEvents: .eventsAreReadable
        case .delaysResponses: .requestsGetResponses
        }
    }

    /// What becomes of a gateway's event on its way to the witness.
    func tamper(_ event: LoggedEvent) -> [LoggedEvent] {
        guard case .beacon(var beacon) = event else { return [event] }
        switch (self, beacon.transition) {
        case (.entersTwice, .enter): return [event, event]
        case (.datesLate, .exit):
            beacon.stamp.uptime = beacon.stamp.uptime + .seconds(2)
            return [.beacon(beacon)]
        case (.flaps, .exit):
            beacon.transition = .enter
            return [event, .beacon(beacon), event]
        case (.skipsNumbers, _):
            if beacon.seq % 10 == 0 { beacon.seq += 1 }
            return [.beacon(beacon)]
        default: return [event]
        }
    }
}
