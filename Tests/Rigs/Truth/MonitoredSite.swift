import Beacons
import Messages
import Ranging
import SiteCore

/// What an aggregator makes of the reports of several gateways about the same tags: when each tag left.
struct MonitoredSite {
    /// The tags that left and were there, after the first hours.
    private(set) var falseLefts = 0
    /// How long after its departure each tag left, in seconds.
    private(set) var delays: [Double] = []
    /// Departures after the first hours.
    private(set) var departures = 0
    /// The messages that report an unusually long silence.
    private(set) var messages = 0

    /// The first hours, in which monitors learn.
    static let learning = 3 * 3600.0

    /// - Parameters:
    ///   - houses: the gateways, which all have the same tags.
    ///   - usesSilences: whether the gateways publish how unusual a silence is; `false`: as gateways of an older version.
    init(_ houses: some Collection<MonitoredHouse>, absences: [[ClosedRange<Double>]], usesSilences: Bool) {
        var items = absences.map { _ in (words: ItemPresence(), presence: Presence.unknown) }
        let reports = houses.enumerated().flatMap { number, house in house.reports.map { ("\(number)", $0) } }
            .sorted { $0.1.at < $1.1.at }
        for (gateway, report) in reports {
            switch report.word {
            case .entered: items[report.tag].words.inside(at: gateway, until: .zero + .seconds(1e9))
            case .exited(let silence):
                items[report.tag].words.exited(
                    at: gateway, when: .zero + .seconds(report.at), silence: silence)
            case .ranged(let isReceived, let silence):
                let silence = usesSilences ? silence : nil
                if silence != nil { messages += 1 }
                items[report.tag].words.note(
                    ItemPresence.Report(
                        until: .zero + .seconds(1e9), isReceived: isReceived,
                        silence: silence.map { ItemPresence.Silence(since: $0.since, perDay: $0.perDay) }), at: gateway)
            }
            let (presence, exit) = items[report.tag].words.presence { _ in true }
            let former = items[report.tag].presence
            items[report.tag].presence = presence
            if former == .away, presence == .home { items[report.tag].words.begin() }
            guard former == .home, presence == .away else { continue }
            if let exit { items[report.tag].words.leave(at: exit.at) }
            note(left: report.at, absences[report.tag])
        }
        for absence in absences.joined() where absence.lowerBound > Self.learning { departures += 1 }
    }

    private mutating func note(left at: Double, _ absences: [ClosedRange<Double>]) {
        guard at > Self.learning else { return }
        guard let absence = absences.last(where: { $0.lowerBound <= at }), at <= absence.upperBound else {
            return falseLefts += 1
        }
        if absence.lowerBound > Self.learning { delays.append(at - absence.lowerBound) }
    }
}
