/// The constants of the belief: one set for every site and every kind of knowledge.
///
/// Chosen on recordings of a flat, a hall and a big room together; where the recordings could not tell, by physics.
enum Tuning {
    /// Seconds: the time constant of a level. Shorter is noise, longer is delay; 0.3 to 1 are within a point of each other.
    static let smoothing = 0.5
    /// Seconds: the time constant of the slower mean that the trend is measured against.
    static let trend = 1.5
    /// How much of the trend is added to the level: it gives back the delay of the smoothing, without which most errors are late ones.
    static let lead = 0.75
    /// Deviations: one gateway never counts for more, however absurd its level.
    static let clip = 3.0
    /// Per second: how often a room is left for another one. It also bounds how sure a belief can get.
    static let leave = 0.1
    /// Nats: how much likelier another room must be before it is said. Less flaps, more is late.
    static let margin = 1.0

    /// A sighting holds for so many of the item's own intervals, and at most for so many seconds: three may be lost before a gateway counts
    /// as one that does not receive the item.
    static let (holds, longestHold) = (4.0, 40.0)
    /// Seconds: a room whose gateways all scan, and have received nothing of the item for so long, is not reported while others receive it.
    static let unreceived = 30.0
    /// The same in seconds where the gateway publishes what it receives: it withdraws what is no longer so, publishes of a still item every 30 s,
    /// and two messages in a row may get lost.
    static let unpublished = 75.0

    /// Seconds after an item's first report in which all other gateways have published theirs: windows of a second do not end together.
    static let arrival = 3.0

    // What lies still.

    /// Seconds: levels of so long are compared with those before.
    static let moment = 3.0
    /// Seconds: the memory of how it sounded before.
    static let rest = 120.0
    /// Seconds without a change after which the belief's time begins to slow down: no shorter than somebody stands still who walks about.
    static let settling = 25.0
    /// dB²: how sightings of what lies still may differ; how they do is learned of each item.
    static let fading = 9.0...36.0
    /// dB²: how the means of some seconds do, however many sightings they have: doors, and who passes by.
    static let flutter = 2.0
    /// Deviations by which levels differ from those before when something moved, as a sum over the gateways; and what is added for few of them.
    static let alarm = 2.5
    static let tail = 1.0
    /// The slowest pace: after a quarter of an hour a mistake is still undone within minutes.
    static let slowest = 0.03
    /// Nats that another room must be likelier by, in addition to `margin`, for each nat by which the pace has slowed down.
    static let reluctance = 2.0
    /// Nats of slowing down that add nothing yet: somebody who walks about stands still for a minute, too.
    static let indifference = 0.7
    /// Seconds: how long an item that was still stays reluctant after the levels changed. Who stands before a gateway changes them, too.
    static let memory = 30.0
    /// dB by which the levels of two gateways have to differ from those of the rest to end that: the item has moved.
    static let swing = 5.0

    /// How far a voice's signatures may be trusted, and what in them counts.
    struct Voice: Sendable {
        /// Independent looks per second. Shadowing changes with the steps of whoever carries the item, so that two or twenty reports
        /// within a second are one look.
        var looks: Double
        /// Variance of the unknown common offset (the tag's power, a body in the way) over that of one level.
        var offset: Double
    }

    /// The gateways' names: levels are guessed, so only differences count.
    static let names = Voice(looks: 0.5, offset: 3)
    /// dB below the loudest gateway beyond which the names have nothing to say: how much fainter a far gateway is tells of walls and
    /// distances that the names don't know.
    static let depth = 20.0
    /// dBm of a usual tag at its loudest gateway that is as likely from a room with a gateway as from one without: 59 dB below 0 at 1 m, and 4 m
    /// in a room or 2 m and a wall.
    static let near = -72.0
    /// dBm at 1 m of a usual tag.
    static let usualPower = -59.0
    /// Nats per dB below `near` that the item is far from all gateways: levels of either kind are 16 dB apart, and spread by 8 dB.
    static let faintness = 0.25
    /// Nats at most, however faint or loud: the power of a tag is not known that well.
    static let faintest = 2.0
    /// What a plan leads one to expect: of the power of a tag nothing is known, so only differences count. Were weak tags taken for usual
    /// ones, they would be sought far from every gateway.
    static let plan = Voice(looks: 0.7, offset: 10)
    /// What was learned: levels were measured, and tags are alike within 6 dB.
    static let learned = Voice(looks: 1.2, offset: 1)

    /// The names keep this share of their looks beside a better voice: whatever was learned is tied to them.
    static let namesBesideLearned = 0.3
    /// Likewise beside a plan.
    static let namesBesidePlan = 0.3
    /// Likewise the plan beside what was learned.
    static let planBesideLearned = 0.5
    /// Seconds of learning, per gateway without labels and per room with them, at which what was learned has half its say.
    static let apprenticeship = 60.0

    /// What the confidence of a room is made of: how much the logarithm of the filter's belief counts, and how much the likelihood of one
    /// look, at the levels of the last seconds or of the whole rest. Chosen so that the share of right rooms is what the confidence states.
    ///
    /// While an item moves, shadowing changes with each step and looks are new evidence. While an item is still, a thousand looks show one
    /// error, and their sum is worth less than one look.
    struct Honesty: Sendable {
        /// The power of the belief.
        var belief: Double
        /// Of the log-likelihood per second, squared within a room.
        var look: Double

        /// A mixture of two.
        func mixed(with other: Honesty, share: Double) -> Honesty {
            Honesty(belief: belief + share * (other.belief - belief), look: look + share * (other.look - look))
        }
    }

    /// Where fingerprints are guessed.
    static let honesty = (moving: Honesty(belief: 0.3, look: 0.25), still: Honesty(belief: 0, look: 0.75))
    /// Where they were learned: they are sharper, and wrong ones more so.
    static let honestyWhenLearned = (
        moving: Honesty(belief: 0.25, look: 0.12), still: Honesty(belief: 0.15, look: 0.25)
    )
    /// Seconds of the belief's time over which looks are averaged.
    static let glance = 4.0
    /// The pace below which an item counts as still.
    static let stillPace = 0.5
    /// The power of the belief by which the position is weighed, where fingerprints are guessed and where they were learned.
    static let honestyOfPosition = (guessed: 0.8, learned: 0.6)

    // What is reported.

    /// How much likelier than the reported room another has to be before the reported room changes: of an item that moves, and of one that is still.
    static let reportingLead = (moving: 0.1, still: 0.4)
    /// How likely a room is at least before a change to it is an event.
    static let clear = 0.5
    /// Of an item that was still so many seconds ago, a change is no event before it lasts for so long, unless it leads by so much.
    static let doubtAfterRest = (memory: 60.0, wait: 20.0, lead: 0.7)
    /// Seconds: of an item whose levels have not changed within so long, another room is no event. A belief that was slowed down by a rest takes
    /// some minutes to follow.
    static let movement = 300.0
    /// Seconds after a gateway was lost, or the item was first received, in which the gateway may be restarting. Its room is no room without a gateway yet.
    static let restart = 180.0
    /// How likely the room is in which an item was before a restart of the aggregator.
    static let remembered = 0.8
}
