/// What must hold whatever happens to a fleet: the rules of the reference's page RulesOfTruth, one sentence each.
package enum Invariant: String, CaseIterable, Sendable {
    /// As far as the gateway can know that it listens: a radio that died silently is believed for a quarter of the silence at most.
    case exitNeedsSilence = "no exit without a full exit time of listening in silence"
    /// Per gateway and beacon, and per gateway and region.
    case enterAndExitAlternate = "enter and exit alternate"
    /// And nothing is said to have happened meanwhile.
    case blindKnowsNothing = "all is unknown whenever the radio is not proven up"
    /// The same seed with and without steps gives the same transitions.
    case clocksChangeNothing = "nothing changes through clock steps"
    /// What was inside before a restart does not enter again, and does not exit because of it.
    case restartIsNoEvent = "a restart adds no pair"
    /// Whatever is heard, and whatever the broker brings.
    case tablesAreBounded = "tables never exceed their limits"
    /// Once the faults have stopped, within the time stated: whether an item is home or away.
    case presenceAgrees = "aggregator and truth agree once faults have stopped"
    /// The room that is said is the true one, or one whose gateway hears the item almost as well.
    case roomIsPlausible = "the room is a plausible one once faults have stopped"
    /// What was heard only by gateways that are gone or deaf is unknown, never away.
    case deadIsNotEmpty = "a dead gateway is not an empty house"
    /// An exit's time is the last sighting and the silence that was required, an enter's its first sighting; never later than now.
    case datedWhenItHappened = "things are dated when they happened"
    /// An exit and an enter of one beacon within the same seconds.
    case nothingFlaps = "nothing flaps"
    /// On the way to the broker: who waits for a region's state has been told of its event.
    case statesFollowEvents = "a region's state does not come before its event"
    /// Per boot, from 1.
    case numbersHaveNoHoles = "events are numbered without holes"
    /// With the other state said between them.
    case leftAndReturnedAlternate = "left and returned alternate"
    /// As their readers read them.
    case eventsAreReadable = "events can be read back"
    /// Counted from when it reaches a service that has a connection, until the answer leaves it.
    case requestsGetResponses = "every request gets a response within 1 s"
}
