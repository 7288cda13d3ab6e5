import Beacons

@testable import BlueZ

/// A simulated kernel with adapters that responds to `Recovery`, on a clock that jumps.
struct FakeKernel {
    /// The state of an adapter in the kernel.
    struct Hardware {
        var address: DeviceAddress
        var settings: AdapterSettings = []
        var supported: AdapterSettings = [.powered, .lowEnergy]
        var isMute = false
        /// Whether the kernel does not respond to commands for this adapter.
        var isSlow = false
        /// The response to the command to scan.
        var scanStatus: UInt8 = 0
    }

    var recovery: Recovery
    var now = Instant(milliseconds: 1000)
    var adapters: [UInt16: Hardware] = [:]
    /// The statuses of the management channel other than success.
    var statuses: [UInt16: ManagementStatus] = [:]
    /// The errors of system calls.
    var errors: [Step: Int32] = [:]
    /// The octets of Read Local Supported Commands.
    var supportedCommands = [UInt8](repeating: 0, count: 64)
    var nextHandle: UInt16 = 1
    var filtersByItself = false
    /// The number of other programs' monitors, and their advertisements.
    var othersMonitors: UInt8 = 0
    var othersAdvertisements: [UInt8] = []
    /// The number of devices that are connected.
    var connections: UInt8 = 0
    /// Whether rfkill blocks the radio, so that power on fails.
    var isBlocked = false

    private(set) var notices: [RadioNotice] = []
    private(set) var performed: [Step] = []

    init(_ options: BlueZOptions = BlueZOptions()) {
        recovery = Recovery(name: options.adapter, candidates: options.duties)
    }

    init(duty: any Duty) {
        recovery = Recovery(name: .index(0), candidates: [duty])
    }

    /// All notices since the last call.
    mutating func takeNotices() -> [RadioNotice] {
        defer { notices = [] }
        return notices
    }

    /// The states reported since the last call.
    mutating func takeStates() -> [RadioState] {
        takeNotices().compactMap { if case .state(let state, _) = $0 { state } else { nil } }
    }

    /// All steps since the last call.
    mutating func takePerformed() -> [Step] {
        defer { performed = [] }
        return performed
    }

    /// Processes everything that happens within `span`.
    mutating func run(_ span: Interval = .zero) {
        let end = now + span
        while let deadline = recovery.nextDeadline, deadline <= end {
            now = max(now, deadline)
            report(.due)
        }
        now = end
    }

    /// The machine sleeps: time passes, and nothing is processed.
    mutating func sleep(_ span: Interval) {
        now = now + span
        report(.due)
    }

    /// Passes on an event and processes all its consequences.
    mutating func report(_ event: Recovery.Event) {
        var events = [event]
        while !events.isEmpty {
            for action in recovery.handle(events.removeFirst(), at: now) {
                switch action {
                case .notify(let notice): notices.append(notice)
                case .perform(let step):
                    performed.append(step)
                    events += responses(to: step)
                }
            }
        }
    }

    /// Sends an event of the adapter with number `index`.
    mutating func report(_ event: ManagementEvent, index: UInt16 = 0) {
        report(.management(event, index: index))
    }

    mutating func plug(_ hardware: Hardware, as index: UInt16 = 0) {
        adapters[index] = hardware
        report(.indexAdded, index: index)
    }

    mutating func unplug(_ index: UInt16 = 0) {
        adapters[index] = nil
        report(.indexRemoved, index: index)
    }

    /// Switches the adapter like another program.
    mutating func switchPower(_ on: Bool) {
        if on { adapters[0]?.settings.insert(.powered) } else { adapters[0]?.settings.remove(.powered) }
        report(.newSettings(adapters[0]?.settings ?? []))
    }

    // MARK: Responses

    private mutating func responses(to step: Step) -> [Recovery.Event] {
        if let code = errors[step] { return [.outcome(.failed(code), of: step)] }
        switch step {
        case .openManagement, .closeController, .reset: return [.outcome(.done([]), of: step)]
        case .readRfkill: return [.outcome(.done([isBlocked ? 1 : 0]), of: step)]
        case .openController(_, let index):
            return [.outcome(adapters[index] == nil ? .failed(19) : .done([]), of: step)]
        case .management(let command, let index): return responses(to: command, index)
        case .controller(let command): return response(to: command)
        case .confirmScan: return response(to: .readVersion)
        }
    }

    private func response(to command: ControllerCommand) -> [Recovery.Event] {
        guard let hardware = adapters.values.first, !hardware.isMute else { return [] }
        let status: UInt8 =
            switch command {
            case .setScanParameters, .setScanEnable(_, true): hardware.scanStatus
            default: 0
            }
        let parameters = command == .readSupportedCommands ? supportedCommands : []
        return [.controller(.reply(opcode: command.opcode, status: status, parameters: parameters))]
    }

    private mutating func responses(to command: ManagementCommand, _ index: UInt16) -> [Recovery.Event] {
        func reply(_ status: ManagementStatus, _ parameters: [UInt8] = []) -> Recovery.Event {
            .management(.reply(opcode: command.opcode, status: status, parameters: parameters), index: index)
        }
        if let status = statuses[command.opcode] { return [reply(status)] }
        if command == .readIndexList {
            return [
                reply(
                    .success, adapters.keys.sorted().reduce(into: [UInt8(adapters.count), 0]) { $0.append(little: $1) })
            ]
        }
        guard var hardware = adapters[index] else { return [reply(.invalidIndex)] }
        if hardware.isSlow { return [] }
        defer { if adapters[index] != nil { adapters[index] = hardware } }
        switch command {
        case .readInformation: return [reply(.success, hardware.information)]
        case .setPowered(let on):
            if hardware.isMute, on { return [] }
            if isBlocked, on { return [reply(.failed)] }
            if on { hardware.settings.insert(.powered) } else { hardware.settings.remove(.powered) }
            return [reply(.success, hardware.settings.bytes)]
        case .readConnections:
            guard hardware.settings.contains(.powered) else { return [reply(.notPowered)] }
            return [reply(.success, [connections, 0] + [UInt8](repeating: 7, count: 7 * Int(connections)))]
        case .setLowEnergy(let on):
            if on { hardware.settings.insert(.lowEnergy) } else { hardware.settings.remove(.lowEnergy) }
            return [reply(.success, hardware.settings.bytes)]
        case .readMonitorFeatures:
            return [reply(.success, [1, 0, 0, 0, filtersByItself ? 1 : 0, 0, 0, 0, 32, 0, 16, othersMonitors, 0])]
        // The kernel's interval and window of the monitor: half of the time.
        case .readDefaults: return [reply(.success, [0x13, 0, 2, 0x60, 0, 0x14, 0, 2, 0x30, 0])]
        case .addMonitor:
            defer { nextHandle &+= 1 }
            let added = reply(.success, [UInt8(nextHandle & 0xFF), UInt8(nextHandle >> 8)])
            if hardware.isMute { return [added] }
            // The raw socket also receives the controller's responses to the kernel.
            return [
                added, .controller(.reply(opcode: 0x200B, status: hardware.scanStatus, parameters: [])),
                .controller(.reply(opcode: 0x200C, status: hardware.scanStatus, parameters: [])),
            ]
        // No flags, 31 bytes each, five instances, and the used ones.
        case .readAdvertisingFeatures:
            return [reply(.success, [0, 0, 0, 0, 31, 31, 5, UInt8(othersAdvertisements.count)] + othersAdvertisements)]
        default: return [reply(.success)]
        }
    }
}

extension FakeKernel.Hardware {
    /// The response to Read Controller Information, up to the settings.
    fileprivate var information: [UInt8] {
        let low = stride(from: UInt64(0), to: 48, by: 8).map { UInt8(truncatingIfNeeded: address.bits >> $0) }
        return low + [0x09, 0xF1, 0x05] + supported.bytes + settings.bytes
    }
}

extension AdapterSettings {
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: rawValue)
        return bytes
    }
}
