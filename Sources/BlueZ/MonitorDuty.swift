import Beacons
import HCI

/// Scans through the kernel's advertisement monitor: passively, beside bluetoothd and other programs, with every RSSI.
///
/// One monitor with any pattern reports all advertisements, because the kernel filters nothing. A controller that
/// filters itself (Microsoft's extension, disabled in Debian's kernels) passes only the patterns.
struct MonitorDuty: Duty {
    let timing: ScanTiming
    let acceptsFilter: Bool
    private var stage = Stage.features
    private var handle: UInt16?
    /// The kernel's own timing before this duty changed it.
    private var found: [DefaultParameter: UInt16] = [:]
    private var isTapped = false
    private var hasEvicted = false

    init(timing: ScanTiming, acceptsFilter: Bool) {
        self.timing = timing
        self.acceptsFilter = acceptsFilter
    }

    private enum Stage { case features, readDefaults, setDefaults, tap, remove, add, confirm, untap }

    /// The patterns of the three beacon frames: iBeacon, AltBeacon (any company), Eddystone.
    static let patterns = [
        AdvertisementPattern(type: 0xFF, offset: 0, value: [0x4C, 0x00, 0x02, 0x15]),
        AdvertisementPattern(type: 0xFF, offset: 2, value: [0xBE, 0xAC]),
        AdvertisementPattern(type: 0x16, offset: 0, value: [0xAA, 0xFE, 0x00]),
    ]

    var description: String { "scanning through the kernel's advertisement monitor" }
    var interface: AdapterInterface? { .monitor }
    var needsPower: Bool { true }
    var ownsController: Bool { false }
    var silence: Interval? { .seconds(12) }
    // The duty observes the controller only during a proof.
    var endangeredBy: Set<UInt16> { [] }
    var patience: Interval { .zero }

    mutating func begin(on adapter: Adapter) -> Progress {
        next(.features, .management(.readMonitorFeatures, index: adapter.index))
    }

    mutating func prove(on adapter: Adapter) -> Progress {
        // Another program may have set its own timing meanwhile.
        found.isEmpty ? tap(adapter) : setTiming(adapter)
    }

    mutating func proceed(_ outcome: Outcome, on adapter: Adapter) -> Progress {
        switch stage {
        case .features: return judge(outcome, on: adapter)
        case .readDefaults:
            // Kernels before 5.9 have no settable defaults, and scan half of the time.
            guard case .done(let parameters) = outcome else { return tap(adapter) }
            if found.isEmpty {
                found = DefaultParameter.values(in: parameters, of: [.monitorInterval, .monitorWindow])
            }
            return setTiming(adapter)
        case .setDefaults: return tap(adapter)
        case .tap:
            isTapped = outcome == .done([])
            return handle == nil ? add(adapter) : remove(adapter)
        case .remove:
            handle = nil
            return add(adapter)
        case .add: return added(outcome, on: adapter)
        case .confirm:
            switch outcome {
            case .done: return next(.untap, .closeController)
            case .refused(let status):
                return .trouble(.mute("the controller refuses to scan, with \(hexadecimal(status))"))
            default: return .trouble(.mute("the controller does not respond"))
            }
        case .untap: return .ready
        }
    }

    mutating func end(on adapter: Adapter) -> [Step] {
        var steps: [Step] = []
        if let handle { steps.append(.management(.removeMonitor(handle: handle), index: adapter.index)) }
        if !found.isEmpty { steps.append(.management(.setDefaults(found), index: adapter.index)) }
        handle = nil
        return steps
    }

    mutating func isUndone(by event: ManagementEvent) -> String? {
        guard case .monitorRemoved(let removed) = event, let ours = handle, removed == ours || removed == 0 else {
            return nil
        }
        // The removal by this process has no such event, so another program removed the monitor, such as bluetoothd at
        // its start.
        handle = nil
        return "another program removed the advertisement monitor"
    }

    mutating func forget() {
        // These handles are invalid on the next adapter, where they may belong to another program.
        handle = nil
        found = [:]
    }

    private mutating func next(_ stage: Stage, _ step: Step) -> Progress {
        self.stage = stage
        return .step(step)
    }

    /// Whether the response to Read Advertisement Monitor Features reports a filter in the controller: bit 0 of the
    /// enabled features, which follow the supported ones (4 bytes each).
    static func filters(_ parameters: [UInt8]) -> Bool {
        parameters.count >= 8 && parameters[4] & 1 != 0
    }

    private mutating func judge(_ outcome: Outcome, on adapter: Adapter) -> Progress {
        switch outcome {
        case .done(let parameters):
            if Self.filters(parameters), !acceptsFilter {
                return .trouble(.unsupported("the controller filters by itself"))
            }
        case .refused(ManagementStatus.unknownCommand.rawValue), .refused(ManagementStatus.notSupported.rawValue):
            return .trouble(.unsupported("the kernel has no advertisement monitor, which 5.10 and later have"))
        default: return .trouble(Trouble(management: outcome, cannot: "use the advertisement monitor"))
        }
        return next(.readDefaults, .management(.readDefaults, index: adapter.index))
    }

    private mutating func setTiming(_ adapter: Adapter) -> Progress {
        let values = [DefaultParameter.monitorInterval: timing.interval, .monitorWindow: timing.window]
        return next(.setDefaults, .management(.setDefaults(values), index: adapter.index))
    }

    private mutating func tap(_ adapter: Adapter) -> Progress {
        next(.tap, .openController(.ask, index: adapter.index))
    }

    private mutating func remove(_ adapter: Adapter) -> Progress {
        next(.remove, .management(.removeMonitor(handle: handle ?? 0), index: adapter.index))
    }

    private mutating func add(_ adapter: Adapter) -> Progress {
        next(.add, .management(.addMonitor(Self.patterns), index: adapter.index))
    }

    private mutating func added(_ outcome: Outcome, on adapter: Adapter) -> Progress {
        switch outcome {
        case .done(let parameters) where parameters.count >= 2:
            handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
            hasEvicted = false
            return isTapped ? next(.confirm, .confirmScan) : .ready
        case .refused(ManagementStatus.noResources.rawValue) where !hasEvicted:
            // A monitor outlives a killed process. The kernel has room for 32, and leftovers can only be removed all
            // together.
            hasEvicted = true
            handle = nil
            return remove(adapter)
        default: return .trouble(Trouble(management: outcome, cannot: "add an advertisement monitor"))
        }
    }
}
