import Beacons
import Glibc
import HCI

/// Scans with this process's own commands over the raw socket or the user channel.
///
/// Any other program that commands the scanner, such as bluetoothd's discovery, ends the scan without notice. The
/// controller's supported commands, not its version, determine the set of commands: the Raspberry Pi 4's controller
/// reports 5.0 but has no extended ones.
struct OwnScanDuty: Duty {
    /// The raw socket beside the kernel, or the user channel.
    let channel: ControllerChannel
    let timing: ScanTiming
    /// Whether to send scan requests to advertisers.
    let active: Bool
    private var stage = Stage.open
    private var kind = ControllerCommand.ScanKind.legacy
    private var hasSwitched = false

    init(channel: ControllerChannel, timing: ScanTiming, active: Bool) {
        self.channel = channel
        self.timing = timing
        self.active = active
    }

    private enum Stage { case open, reset, eventMask, lowEnergyEventMask, commands, disable, parameters, enable }

    var description: String { "scanning through the \(channelName), \(kind == .legacy ? "legacy" : "extended") scan" }
    var interface: AdapterInterface? { channel == .user ? .user : .raw }
    var needsPower: Bool { channel != .user }
    var ownsController: Bool { channel == .user }
    var silence: Interval? { .seconds(12) }
    /// Reset, and the two commands that enable or disable scanning.
    var endangeredBy: Set<UInt16> { [0x0C03, 0x200C, 0x2042] }
    var patience: Interval { .zero }

    mutating func begin(on adapter: Adapter) -> Progress {
        hasSwitched = false
        return next(.open, .openController(channel, index: adapter.index))
    }

    mutating func prove(on adapter: Adapter) -> Progress {
        next(.disable, .controller(.setScanEnable(kind, false)))
    }

    mutating func proceed(_ outcome: Outcome, on adapter: Adapter) -> Progress {
        let capability = stage == .open && channel == .user ? Capability.networkAdministration : .rawSockets
        switch (stage, outcome) {
        // Some controllers refuse to disable a disabled scan; only the response matters.
        case (.disable, .refused), (.disable, .done):
            return command(
                .parameters,
                .setScanParameters(kind, active: active, interval: timing.interval, window: timing.window))
        case (.parameters, .refused), (.enable, .refused):
            return refused(outcome)
        case (_, .done(let parameters)):
            return done(parameters)
        default:
            return .trouble(Trouble(outcome, cannot: "scan over the \(channelName)", needs: capability))
        }
    }

    mutating func end(on adapter: Adapter) -> [Step] {
        [.controller(.setScanEnable(kind, false)), .closeController]
    }

    mutating func isUndone(by event: ManagementEvent) -> String? { nil }

    mutating func forget() {}

    private var channelName: String { channel == .user ? "user channel" : "raw socket" }

    private mutating func next(_ stage: Stage, _ step: Step) -> Progress {
        self.stage = stage
        return .step(step)
    }

    private mutating func command(_ stage: Stage, _ command: ControllerCommand) -> Progress {
        next(stage, .controller(command))
    }

    private mutating func done(_ parameters: [UInt8]) -> Progress {
        switch stage {
        case .open where channel == .user: return command(.reset, .reset)
        case .open: return command(.commands, .readSupportedCommands)
        // On the user channel, no other program configures these.
        case .reset: return command(.eventMask, .setEventMask)
        case .eventMask: return command(.lowEnergyEventMask, .setLowEnergyEventMask)
        case .lowEnergyEventMask: return command(.commands, .readSupportedCommands)
        case .commands:
            kind = Self.hasExtendedScan(parameters) ? .extended : .legacy
            return command(.disable, .setScanEnable(kind, false))
        case .parameters: return command(.enable, .setScanEnable(kind, true))
        case .disable, .enable: return .ready
        }
    }

    /// Tries the other set of commands once, because another program may have used it on this controller before.
    private mutating func refused(_ outcome: Outcome) -> Progress {
        guard !hasSwitched else {
            return .trouble(Trouble(outcome, cannot: "scan over the \(channelName)", needs: .rawSockets))
        }
        hasSwitched = true
        kind = kind == .legacy ? .extended : .legacy
        return command(.disable, .setScanEnable(kind, false))
    }

    /// Whether bits 5 and 6 of octet 37 are set: LE Set Extended Scan Parameters and Enable (Core 5.4, Vol 4, E 6.27).
    private static func hasExtendedScan(_ supported: [UInt8]) -> Bool {
        supported.count > 37 && supported[37] & 0x60 == 0x60
    }
}
