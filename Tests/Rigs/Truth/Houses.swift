/// Some houses of one kind, and what happened in all of them.
struct Houses {
    let all: [MonitoredHouse]

    var absences: Int { all.reduce(0) { $0 + $1.absences } }
    var reported: Int { all.reduce(0) { $0 + $1.reported } }
    var exits: [MonitoredHouse.Exit] { all.flatMap(\.exits) }

    /// False exits of tags that were there, between these hours.
    func falseExits(from: Double, to: Double) -> Double { all.reduce(0) { $0 + $1.falseExits(from: from, to: to) } }

    /// Gaps longer than a fixed time, between these hours.
    func fixedExits(_ time: Double, from: Double, to: Double) -> Double {
        all.reduce(0) { $0 + $1.fixedExits(time, from: from, to: to) }
    }

    /// The delays of true exits after this hour, sorted.
    func delays(from: Double) -> [Double] { all.flatMap { $0.delays(from: from) }.sorted() }
}
