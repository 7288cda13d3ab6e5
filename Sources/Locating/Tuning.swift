/// The constants of the belief, one set per kind of knowledge, the same for every site.
struct Tuning: Hashable, Sendable {
    /// Seconds: the time constant of a level.
    var smoothing = 0.5
    /// Seconds: the time constant of the slower mean that the trend is measured against.
    var trend = 1.5
    /// How much of the trend is added to the level: gives back part of the smoothing's delay.
    var lead = 0.5
    /// Independent looks per second. Shadowing changes with the steps of whoever carries the tag, so that two or twenty reports
    /// within a second are one look.
    var evidence = 0.5
    /// Variance of the unknown common offset (the tag's power, a body in the way) over that of one level.
    var offset = 3.0
    /// Deviations: one gateway never counts for more.
    var clip = 3.0
    /// Per second: how often a room is left for another one. Doors and steps decide on a plan.
    var leave = 0.1
    /// Per second: how often the place within a room changes.
    var wander = 0.3
    /// Nats: how much likelier another room must be before it is said.
    var margin = 1.0
    /// The told confidence is the belief to this power: a wrong signature stays wrong, and evidence piles up on it.
    var honesty = 0.8

    /// Gateways' rooms are known, nothing else.
    static let names = Tuning()
    /// A belief over the places of a plan.
    static let plan = Tuning(smoothing: 0.3, lead: 0, evidence: 0.8, offset: 1, honesty: 1)
    /// Levels were measured in each room, with a tag.
    static let survey = Tuning(smoothing: 0.3, lead: 0, evidence: 1.6, offset: 0.3, leave: 0.02, honesty: 0.4)
}
