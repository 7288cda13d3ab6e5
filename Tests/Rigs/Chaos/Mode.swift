import Glibc
import TestBroker

/// What goes wrong in one run.
enum Mode: String {
    case everything
    case kills
    case memory
    case clocks
    case slow
    case full
    case powercuts
    case herd
    case messages

    /// What may happen.
    var troubles: [Trouble] {
        switch self {
        case .everything: [.lineCut, .lineHangs, .killed, .stopped, .brokerKilled]
        case .kills: [.killed]
        case .memory: [.killed, .brokerKilled]
        case .clocks: [.clockStep]
        case .slow: [.diskSlow]
        // What a full disk does not take is in memory alone: a kill would rightly lose it.
        case .full: [.lineCut, .lineHangs, .stopped, .brokerKilled]
        case .powercuts, .herd, .messages: []
        }
    }

    /// How many seconds lie between two troubles, and how many one of them lasts at most.
    var pause: Range<Double> { self == .kills ? 0.2..<1 : 0.5..<4 }
    func longest(_ trouble: Trouble) -> Double { self == .kills ? 1 : trouble.longest }

    var standard: Verdict.Standard {
        switch self {
        case .clocks, .slow: .decidedAndTrue
        case .full: .transmitted
        default: .decided
        }
    }

    /// Why it cannot be done here; `nil` where it can.
    var hindrance: String? {
        switch self {
        case .everything, .kills, .memory, .herd: nil
        case .clocks, .slow: SteeredKernel.hindrance
        case .full: geteuid() == 0 ? nil : "only root mounts a disk of 64 kB"
        case .messages: SteeredKernel.hindrance ?? (isProgramInstalled("curl") ? nil : "curl is not installed")
        case .powercuts:
            if geteuid() != 0 {
                "only root mounts images of disks"
            } else {
                isProgramInstalled("mkfs.xfs") ? nil : "mkfs.xfs is not installed"
            }
        }
    }
}
