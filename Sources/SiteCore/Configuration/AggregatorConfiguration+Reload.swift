extension AggregatorConfiguration {
    /// What differs that only a start takes up, as the file calls it.
    func differences(from old: AggregatorConfiguration) -> [String] {
        [
            (stateDirectory != old.stateDirectory, "state_directory"), (site.texts != old.site.texts, "language"),
            (broker != old.broker, "[mqtt]"),
            (log != old.log, "[log]"), (occupancy != old.occupancy, "[occupancy]"),
            (homeAssistant != old.homeAssistant || roomMessages != old.roomMessages, "[home_assistant]"),
            (notifyCommand != old.notifyCommand, "[notify]"),
            (standby != old.standby, "[standby]"),
            (subscribe.name != old.subscribe.name, "name"), (subscribe.shares != old.subscribe.shares, "[[subscribe]]"),
        ].filter(\.0).map(\.1)
    }
}
