import Beacons
import Glibc

/// Hears by a scan of its own, commanded over the raw socket or the user channel.
///
/// Any other program that commands the scanner ends it without a word, bluetoothd's discovery for one. Legacy or extended commands are
/// chosen by what the controller has, not by its version: the Raspberry Pi 4's says 5.0 and has no extended ones.
struct ScanDuty: Duty {
    /// Beside the kernel, or alone.
    let channel: ControllerChannel
    /// How much of the time it listens.
    let timing: ScanTiming
    /// Whether it asks advertisers for more.
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

    var description: String { "listening through the \(channelName), \(kind == .legacy ? "legacy" : "extended") scan" }
    var interface: BlueZOptions.Interface? { channel == .user ? .user : .raw }
    var needsPower: Bool { channel != .user }
    var ownsController: Bool { channel == .user }
    var silence: Interval? { .seconds(12) }
    /// Reset, and the two commands that enable scanning, or disable it.
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
        // Off when it is off already is refused by some: what counts is that it answers.
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
        // Nobody but us sets these up on the user channel.
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

    /// The other set of commands is tried once: a controller may have been set to it by somebody before.
    private mutating func refused(_ outcome: Outcome) -> Progress {
        guard !hasSwitched else {
            return .trouble(Trouble(outcome, cannot: "scan over the \(channelName)", needs: .rawSockets))
        }
        hasSwitched = true
        kind = kind == .legacy ? .extended : .legacy
        return command(.disable, .setScanEnable(kind, false))
    }

    /// Octet 37, bits 5 and 6: LE Set Extended Scan Parameters and Enable (Core 5.4, Vol 4, E 6.27).
    private static func hasExtendedScan(_ supported: [UInt8]) -> Bool {
        supported.count > 37 && supported[37] & 0x60 == 0x60
    }
}
