/// The goals that do not depend on the machine's load: each that is missed is named, and makes the exit status 1.
struct Goals {
    private(set) var missed: [String] = []

    /// The goal as it is printed beside a figure, with a word if the figure misses it.
    mutating func most(_ limit: Double, _ value: Double, of name: String, unit: String = "") -> String {
        note(value <= limit, "at most \(written(limit))\(unit)", name, value)
    }

    /// The same of a figure that shall be at least so large.
    mutating func least(_ limit: Double, _ value: Double, of name: String, unit: String = "") -> String {
        note(value >= limit, "at least \(written(limit))\(unit)", name, value)
    }

    private mutating func note(_ isReached: Bool, _ goal: String, _ name: String, _ value: Double) -> String {
        if !isReached { missed.append("\(name): \(written(value)), goal \(goal)") }
        return isReached ? goal : "\(goal): MISSED"
    }

    private func written(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        if hundredths % 100 == 0 { return String(hundredths / 100) }
        return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
    }
}
