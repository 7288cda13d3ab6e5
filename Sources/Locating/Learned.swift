/// What living in a site has taught about how its rooms sound, without a label.
public struct Learned: Hashable, Sendable {
    /// Learns from what items sounded like; `nil` where that is too little, or judged to be no better than what is known anyway.
    public static func learn(site: Site, from histories: [LevelHistory]) -> Learned? { nil }
}
