/// What must hold whatever happens to a fleet: the rules of the reference's page RulesOfTruth, one sentence each.
package enum Invariant: String, CaseIterable, Sendable {
    /// As far as the gateway can know that it scans: a radio that died silently is believed for a quarter of the silence at most.
    case exitNeedsSilence = "no exit without a full exit time of listening in silence"
    /// Per gateway and beacon, and per gateway and region.
    case enterAndExitAlternate = "enter and exit alternate"
    /// And no event is reported for that time.
    case blindKnowsNothing = "all is unknown whenever the radio is not proven up"
    /// The same seed with and without steps gives the same transitions.
    case clocksChangeNothing = "nothing changes through clock steps"
    /// What was inside before a restart does not enter again, and does not exit because of it.
    case restartIsNoEvent = "a restart adds no pair"
    /// Whatever is received, and whatever the broker delivers.
    case tablesAreBounded = "tables never exceed their limits"
    /// Once the faults have stopped, within the time stated: whether an item is home or away.
    case presenceAgrees = "aggregator and truth agree once faults have stopped"
    /// The reported room is the true one, or one whose gateway receives the item almost as well.
    case roomIsPlausible = "the room is a plausible one once faults have stopped"
    /// An item that only gateways received that are gone or deaf is unknown, never away.
    case deadIsNotEmpty = "a dead gateway is not an empty house"
    /// An exit's time is the last sighting and the silence that was required, an enter's its first sighting; never later than now.
    case datedWhenItHappened = "things are dated when they happened"
    /// An exit and an enter of one beacon within the same seconds.
    case nothingFlaps = "nothing flaps"
    /// On the way to the broker: whoever waits for a region's state has received its event.
    case statesFollowEvents = "a region's state does not come before its event"
    /// For each run, from 1.
    case numbersHaveNoHoles = "events are numbered without holes"
    /// With the other state published between them.
    case leftAndReturnedAlternate = "left and returned alternate"
    /// What a broker retained of before it left proves nothing.
    case returnsAreReceived = "nothing returns that no gateway received since it left"
    /// As their readers read them.
    case eventsAreReadable = "events can be read back"
    /// Counted from when it reaches a service that has a connection, until the response leaves it.
    case requestsGetResponses = "every request gets a response within 1 s"
}
