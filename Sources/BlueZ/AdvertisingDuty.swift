import Beacons
import HCI

/// Sends one advertisement through the kernel, beside bluetoothd's advertisements and any scan, on legacy and extended
/// controllers.
struct AdvertisingDuty: Duty {
    /// The AD structures, 31 bytes at most.
    let data: [UInt8]
    /// The interval between advertisements, in units of 0.625 ms.
    let interval: UInt16
    private var stage = Stage.features
    private var instance: UInt8 = 0
    private var isAdded = false
    private var hasEvicted = false
    /// The kernel's own intervals before this duty changed them; empty if they were not changed.
    private var found: [DefaultParameter: UInt16] = [:]

    init(data: [UInt8], interval: UInt16) {
        precondition(data.count <= 31, "a legacy advertisement holds 31 bytes")
        self.data = data
        self.interval = interval
    }

    private enum Stage { case features, remove, parameters, data, readDefaults, setDefaults, whole, tap }

    var description: String { "advertising" }
    var interface: AdapterInterface? { nil }
    var needsPower: Bool { true }
    var ownsController: Bool { false }
    // The scan beside it counts for more.
    var mayResetAdapter: Bool { false }
    var silence: Interval? { nil }
    /// Reset; the commands that enable or disable advertising; the commands that remove one or all advertisements.
    var endangeredBy: Set<UInt16> { [0x0C03, 0x200A, 0x2039, 0x203C, 0x203D] }
    // If several programs advertise, the kernel itself sends these commands every two seconds. Each restart also gives
    // the advertisement a new random address.
    var patience: Interval { .seconds(30) }

    mutating func begin(on adapter: Adapter) -> Progress {
        next(.features, .readAdvertisingFeatures, adapter)
    }

    mutating func prove(on adapter: Adapter) -> Progress { begin(on: adapter) }

    mutating func proceed(_ outcome: Outcome, on adapter: Adapter) -> Progress {
        switch (stage, outcome) {
        case (.features, .done(let parameters)): return choose(parameters, adapter)
        case (.remove, _):
            isAdded = false
            return next(.parameters, .addAdvertisingParameters(instance: instance, interval: UInt32(interval)), adapter)
        case (.parameters, .done): return next(.data, .addAdvertisingData(instance: instance, data: data), adapter)
        // Kernels before 5.11 have one interval for all advertisements.
        case (.parameters, .refused(ManagementStatus.unknownCommand.rawValue)):
            return next(.readDefaults, .readDefaults, adapter)
        case (.readDefaults, _):
            if case .done(let parameters) = outcome, found.isEmpty {
                found = DefaultParameter.values(in: parameters, of: [.advertisingMinimum, .advertisingMaximum])
            }
            return next(
                .setDefaults, .setDefaults([.advertisingMinimum: interval, .advertisingMaximum: interval]), adapter)
        case (.setDefaults, _): return next(.whole, .addAdvertising(instance: instance, data: data), adapter)
        case (.data, .done), (.whole, .done):
            isAdded = true
            stage = .tap
            return .step(.openController(.ask, index: adapter.index))
        // Without this socket, commands by other programs to the controller go unnoticed.
        case (.tap, _): return .ready
        default: return .trouble(Trouble(management: outcome, cannot: "advertise"))
        }
    }

    mutating func end(on adapter: Adapter) -> [Step] {
        var steps: [Step] = []
        if isAdded { steps.append(.management(.removeAdvertising(instance: instance), index: adapter.index)) }
        if !found.isEmpty { steps.append(.management(.setDefaults(found), index: adapter.index)) }
        steps.append(.closeController)
        forget()
        return steps
    }

    mutating func isUndone(by event: ManagementEvent) -> String? {
        guard isAdded, case .advertisingRemoved(let removed) = event, removed == instance || removed == 0 else {
            return nil
        }
        isAdded = false
        return "another program removed the advertisement"
    }

    mutating func forget() {
        isAdded = false
        found = [:]
    }

    private mutating func next(_ stage: Stage, _ command: ManagementCommand, _ adapter: Adapter) -> Progress {
        self.stage = stage
        return .step(.management(command, index: adapter.index))
    }

    /// The highest free instance, because bluetoothd takes the lowest one without checking.
    ///
    ///       0       4      5          6      7       8 ...
    ///     +-------+------+----------+------+-------+-----------+
    ///     | flags | data | response | most | count | instances |
    ///     +-------+------+----------+------+-------+-----------+
    private mutating func choose(_ parameters: [UInt8], _ adapter: Adapter) -> Progress {
        guard parameters.count >= 8, parameters[6] > 0 else {
            return .trouble(.unsupported("the adapter cannot advertise"))
        }
        if isAdded { return next(.remove, .removeAdvertising(instance: instance), adapter) }
        let taken = Set(parameters[8...])
        guard let free = (1...parameters[6]).last(where: { !taken.contains($0) }) else {
            guard !hasEvicted, parameters[6] > 1 else {
                return .trouble(.busy("cannot advertise: other programs use all \(parameters[6]) advertisements"))
            }
            // An advertisement outlives a killed process: the highest one is most probably a former gateway's.
            hasEvicted = true
            instance = parameters[6]
            return next(.remove, .removeAdvertising(instance: instance), adapter)
        }
        instance = free
        return next(.parameters, .addAdvertisingParameters(instance: free, interval: UInt32(interval)), adapter)
    }
}
