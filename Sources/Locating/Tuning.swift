/// The constants of the filter: one set for every site and every source of fingerprints.
///
/// They were chosen on recordings of a flat, a hall and a big room together. Where the recordings could not decide, physics did.
enum Tuning {
    /// Seconds: the time constant of the smoothed RSSI. Shorter is noise, longer is delay; 0.3 to 1 are within a point of each other.
    static let smoothing = 0.5
    /// Seconds: the time constant of the slower mean that the trend is measured against.
    static let trend = 1.5
    /// The part of the trend that is added to the mean. It compensates the delay of the smoothing, which causes most errors.
    static let lead = 0.75
    /// Standard deviations: the limit of what one gateway can count.
    static let clip = 3.0
    /// Per second: how often a room is left for another one. This also bounds the certainty of a belief.
    static let leave = 0.1
    /// Nats: how much likelier another room must be before it is reported. A smaller value causes flapping, a larger one causes delay.
    static let margin = 1.0

    /// A sighting counts for so many of the item's own intervals, and at most for so many seconds. Three sightings may be lost before a
    /// gateway counts as one that does not receive the item.
    static let (holds, longestHold) = (4.0, 40.0)
    /// Seconds: a room whose gateways all scan, and have received nothing of the item for so long, is not reported while others receive it.
    static let unreceived = 30.0
    /// The same in seconds for a gateway that publishes: it withdraws a reception that ended, publishes a still item every 30 s, and two
    /// messages in a row may get lost.
    static let unpublished = 75.0

    /// Seconds after an item's first report in which all other gateways have published theirs: windows of a second do not end together.
    static let arrival = 3.0

    // Still items.

    /// Seconds: the RSSI of so many seconds is compared with the RSSI before.
    static let moment = 3.0
    /// Seconds: the memory of the RSSI before.
    static let rest = 120.0
    /// Seconds without a change after which the filter's time begins to slow down: a person who walks about stands still for shorter.
    static let settling = 25.0
    /// dB²: the range of the variance between sightings of a still item, which is learned for each item.
    static let fading = 9.0...36.0
    /// dB²: the variance between means of some seconds, whatever their number of sightings: doors, and people who pass.
    static let flutter = 2.0
    /// Standard deviations of the sum over the gateways at which an item counts as moved, and an addition for few gateways.
    static let alarm = 2.5
    static let tail = 1.0
    /// The slowest pace: after a quarter of an hour a mistake is still undone within minutes.
    static let slowest = 0.03
    /// Nats by which another room must be likelier, in addition to `margin`, for each nat by which the pace has slowed down.
    static let reluctance = 2.0
    /// Nats of slowing down that add nothing yet: a person who walks about stands still for a minute, too.
    static let indifference = 0.7
    /// Seconds: how long the reluctance lasts after the RSSI of a still item changed. A person in front of a gateway changes it, too.
    static let memory = 30.0
    /// dB by which the RSSI of two gateways has to differ from the rest to end the reluctance: the item has moved.
    static let swing = 5.0

    /// How much the fingerprints of one source count.
    struct Likelihood: Sendable {
        /// Independent observations per second. Shadowing changes with the steps of the person who carries the item, so two or twenty
        /// reports within a second are one observation.
        var observationRate: Double
        /// Variance of the unknown common offset (the tag's power, a body in the way) over that of one RSSI value.
        var offset: Double
    }

    /// The gateways' names: RSSI values are guessed, so only differences count.
    static let names = Likelihood(observationRate: 0.5, offset: 3)
    /// dB below the strongest gateway below which the names are no evidence: how much less a far gateway receives depends on walls and
    /// distances that the names do not contain.
    static let depth = 20.0
    /// dBm of a usual tag at its strongest gateway that is equally likely from a room with a gateway and from one without: 59 dB below 0 at
    /// 1 m, and 4 m in a room or 2 m and a wall.
    static let near = -72.0
    /// dBm at 1 m of a usual tag.
    static let usualPower = -59.0
    /// Nats per dB below `near` that the item is far from all gateways: the RSSI values of both cases are 16 dB apart, and spread by 8 dB.
    static let faintness = 0.25
    /// Nats at most: the power of a tag is not known well.
    static let faintest = 2.0
    /// A floor plan: the power of a tag is unknown, so only differences count. If weak tags counted as usual ones, they would be located
    /// far from every gateway.
    static let plan = Likelihood(observationRate: 0.7, offset: 10)
    /// What was learned: RSSI values were measured, and tags are alike within 6 dB.
    static let learned = Likelihood(observationRate: 1.2, offset: 1)

    /// The weight of the names beside a plan, and beside a learned model: everything learned is tied to the names.
    static let namesBesideBetter = 0.3
    /// Seconds of samples, per gateway without labels and per room with them, at which the learned model has half of its weight.
    static let apprenticeship = 60.0

    /// The calibration of a room's confidence: the weight of the logarithm of the filter's belief, and the weight of the log-likelihood of
    /// one observation over the last seconds or the whole rest. Chosen so that the share of correct rooms equals the confidence.
    ///
    /// While an item moves, shadowing changes with each step, and observations are new evidence. While an item is still, a thousand
    /// observations repeat one error, and their sum is worth less than one observation.
    struct Calibration: Sendable {
        var belief: Double
        /// The weight of the log-likelihood per second, squared within a room.
        var observation: Double

        /// A mixture of two.
        func mixed(with other: Calibration, share: Double) -> Calibration {
            Calibration(
                belief: belief + share * (other.belief - belief),
                observation: observation + share * (other.observation - observation))
        }
    }

    /// With guessed fingerprints.
    static let calibration = (
        moving: Calibration(belief: 0.3, observation: 0.25), still: Calibration(belief: 0, observation: 0.75)
    )
    /// With a floor plan, and with its corrections.
    static let calibrationWithPlan = (
        moving: Calibration(belief: 0.3, observation: 0.25), still: Calibration(belief: 0, observation: 0.9)
    )
    static let calibrationWithCorrections = (
        moving: Calibration(belief: 0.3, observation: 0.32), still: Calibration(belief: 0, observation: 1.2)
    )
    /// With learned fingerprints: they are sharper, and wrong ones more so.
    static let calibrationWhenLearned = (
        moving: Calibration(belief: 0.25, observation: 0.12), still: Calibration(belief: 0.15, observation: 0.25)
    )
    /// Seconds of the filter's time over which the log-likelihood is averaged.
    static let recentSpan = 4.0
    /// The pace below which an item counts as still.
    static let stillPace = 0.5
    /// The exponent of the belief in the estimate of the position, with guessed and with learned fingerprints.
    static let positionExponent = (guessed: 0.8, learned: 0.6)

    // What is reported.

    /// How much likelier than the reported room another has to be before the reported room changes: of an item that moves, and of one that is still.
    static let reportingLead = (moving: 0.1, still: 0.4)
    /// The probability that a room needs before a change to the room is an event.
    static let clear = 0.5
    /// Of an item that was still so many seconds ago, a change is no event before it lasts for so long, unless it leads by so much.
    static let doubtAfterRest = (memory: 60.0, wait: 20.0, lead: 0.7)
    /// Seconds: if the RSSI of an item has not changed within this time, another room is no event. A filter that was slowed down by a rest
    /// follows after some minutes.
    static let movement = 300.0
    /// Seconds after a gateway was lost, or the item was first received, in which the gateway may be restarting. Its room is no room without a gateway yet.
    static let restart = 180.0
    /// dBm of a usual tag: the reported room stays while the highest RSSI is below it on average over so many seconds. An item that is carried away is
    /// weak everywhere before it is silent.
    static let (weak, weakSpan) = (Float(-84), 3.0)
    /// The prior of the room in which an item was before a restart of the aggregator.
    static let remembered = 0.8
}
