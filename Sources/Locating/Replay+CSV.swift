extension Replay {
    /// The heading of the file with the rows of `run`.
    package static let heading = "t_ms,beacon,presence,room,confidence"
}

extension Replay.Row {
    /// The row as a line of the file, without its line feed; the confidence to three decimals.
    package var csv: String {
        let thousandths = Int((max(0, min(1, confidence)) * 1000).rounded())
        let fraction = String(thousandths % 1000)
        let padding = String(repeating: "0", count: 3 - fraction.count)
        let decimal = "\(thousandths / 1000).\(padding)\(fraction)"
        return "\(milliseconds),\(beacon),\(presence.rawValue),\(room ?? ""),\(decimal)"
    }
}
