import Beacons

/// A simulated house: rooms and walls, gateways, people who walk about, tags that they carry or leave lying, and all else that advertises.
///
/// Where everything is, what is sent and what is received are functions of the seed and of the time alone. Processes that share both live in
/// one house without a word between them. (They agree to the last bit on machines of one C library, and to the dB on all.)
public struct House: Hashable, Sendable {
    /// From this all its chance is drawn.
    public let seed: UInt64
    /// Rooms, doors, walls.
    public var plan: Plan
    /// The gateways, one adapter each.
    public var gateways: [Gateway]
    /// Who walks about.
    public var people: [Person]
    /// The beacons.
    public var tags: [Tag]
    /// What advertises and is no beacon.
    public var bystanders: [Bystander]
    /// How people spend their time.
    public var habits: Habits
    /// What walls, bodies and chance do to the radio.
    public var channel: Channel

    /// A house of one's own making; tags and bystanders may be carried by the given people only.
    public init(
        seed: UInt64, plan: Plan, gateways: [Gateway], people: [Person], tags: [Tag], bystanders: [Bystander] = [],
        habits: Habits = Habits(), channel: Channel = Channel()
    ) {
        self.seed = seed
        self.plan = plan
        self.gateways = gateways
        self.people = people
        self.tags = tags
        self.bystanders = bystanders
        self.habits = habits
        self.channel = channel
    }

    /// The house of the `simulation` radio: Kitchen, Hall, Living room, Bedroom and Office, a gateway in each, and twelve tags.
    public init(seed: UInt64) {
        self = .generated(rooms: 5, gateways: 5, tags: 12, seed: seed)
    }

    /// The tags' and bystanders' transmitters in one row, the tags first.
    var transmitters: [Transmitter] { tags.map(\.transmitter) + bystanders.map(\.transmitter) }
}
