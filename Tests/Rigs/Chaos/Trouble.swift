import Glibc
import Linux
import TestBroker

/// What can be done to a site, and undone.
enum Trouble: String, CaseIterable {
    case lineCut = "line cut"
    case lineHangs = "line hangs"
    case killed
    case stopped
    case brokerKilled = "broker killed, its memory wiped"
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

    func begin(on party: Party, _ site: ChaosSite, using generator: inout some RandomNumberGenerator) throws {
        switch self {
        case .lineCut: party.proxy.line = .cut
        case .lineHangs: party.proxy.line = .silent
        case .killed: party.kill()
        case .stopped: party.signal(SIGSTOP)
        case .brokerKilled: site.broker.kill()
        case .clockStep: try Self.step(party.name, in: site.folder, using: &generator)
        case .diskSlow: try site.folder.write("2000\n", to: "\(party.name).disk")
        }
    }

    func end(on party: Party, _ site: ChaosSite) throws {
        switch self {
        case .lineCut, .lineHangs: party.proxy.line = .open
        case .killed: try party.begin()
        case .stopped: party.signal(SIGCONT)
        case .brokerKilled: try site.broker.restart()
        case .diskSlow: try site.folder.write("0\n", to: "\(party.name).disk")
        // Nobody sets it right again.
        case .clockStep: break
        }
    }

    /// Sets a party's clock: by hours, or by decades.
    private static func step(_ party: String, in folder: TestFolder, using generator: inout some RandomNumberGenerator)
        throws
    {
        let reach = Bool.random(using: &generator) ? 86_400 : 30 * 365 * 86_400
        let offset = Int.random(in: -reach...reach, using: &generator)
        try folder.write("\(offset)\n", to: "\(party).clock")
    }
}
