import Glibc
import TestBroker

/// What can be done to a site, and undone.
enum Trouble: String, CaseIterable {
    case lineCut = "line cut"
    case lineHangs = "line hangs"
    case killed
    case stopped
    case brokerKilled = "broker killed"
    case clockStep = "clock set elsewhere"
    case diskSlow = "disk slow"

    /// What it can befall: a program of ours, or the broker.
    var befallsBroker: Bool { self == .brokerKilled }

    /// For how many seconds at most: a gateway that is gone for longer than its will's delay is dead, and its items are unknown.
    var longest: Double {
        switch self {
        case .killed: 3
        case .diskSlow: 20
        default: 4
        }
    }

    func begin(on participant: Participant, _ site: ChaosSite, using generator: inout some RandomNumberGenerator) throws
    {
        switch self {
        case .lineCut: participant.proxy.line = .cut
        case .lineHangs: participant.proxy.line = .silent
        case .killed: participant.kill()
        case .stopped: participant.signal(SIGSTOP)
        case .brokerKilled: site.broker.kill()
        case .clockStep: try Self.step(participant.name, in: site.folder, using: &generator)
        case .diskSlow: try site.folder.write("2000\n", to: "\(participant.name).disk")
        }
    }

    func end(on participant: Participant, _ site: ChaosSite) throws {
        switch self {
        case .lineCut, .lineHangs: participant.proxy.line = .open
        case .killed: try participant.begin()
        case .stopped: participant.signal(SIGCONT)
        case .brokerKilled: try site.broker.restart()
        case .diskSlow: try site.folder.write("0\n", to: "\(participant.name).disk")
        // Nobody sets it right again.
        case .clockStep: break
        }
    }

    /// Sets a program's clock: by hours, or by decades.
    private static func step(
        _ participant: String, in folder: TestFolder, using generator: inout some RandomNumberGenerator
    )
        throws
    {
        let reach = Bool.random(using: &generator) ? 86_400 : 30 * 365 * 86_400
        let offset = Int.random(in: -reach...reach, using: &generator)
        try folder.write("\(offset)\n", to: "\(participant).clock")
    }
}
