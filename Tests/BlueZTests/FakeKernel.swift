import Beacons

@testable import BlueZ

/// A kernel with adapters that answers what `Recovery` asks, on a clock that jumps.
struct FakeKernel {
    /// An adapter as it is behind the kernel.
    struct Hardware {
        var address: DeviceAddress
        var settings: AdapterSettings = []
        var supported: AdapterSettings = [.powered, .lowEnergy]
        var isMute = false
        /// The kernel answers nothing that concerns it.
        var isSlow = false
        /// What it answers to the order to scan.
        var scanStatus: UInt8 = 0
    }

    var recovery: Recovery
    var now = Instant(milliseconds: 1000)
    var adapters: [UInt16: Hardware] = [:]
    /// What the management channel answers instead of success.
    var statuses: [UInt16: ManagementStatus] = [:]
    /// What calls to the kernel fail with.
    var errors: [Step: Int32] = [:]
    /// Octets of Read Local Supported Commands.
    var supportedCommands = [UInt8](repeating: 0, count: 64)
    var nextHandle: UInt16 = 1
    var filtersByItself = false
    /// How many monitors others have, and which advertisements.
    var othersMonitors: UInt8 = 0
    var othersAdvertisements: [UInt8] = []
    /// rfkill's switch: power on fails.
    var isBlocked = false

    private(set) var notices: [RadioNotice] = []
    private(set) var performed: [Step] = []

    init(_ options: BlueZOptions = BlueZOptions()) {
        recovery = Recovery(name: options.adapter, candidates: options.duties)
    }

    init(duty: any Duty) {
        recovery = Recovery(name: .index(0), candidates: [duty])
    }

    /// Everything said since the last time.
    mutating func takeNotices() -> [RadioNotice] {
        defer { notices = [] }
        return notices
    }

    /// The states said since the last time.
    mutating func takeStates() -> [RadioState] {
        takeNotices().compactMap { if case .state(let state, _) = $0 { state } else { nil } }
    }

    /// Everything asked for since the last time.
    mutating func takePerformed() -> [Step] {
        defer { performed = [] }
        return performed
    }

    /// Lets everything happen that happens within `span`.
    mutating func run(_ span: Interval = .zero) {
        let end = now + span
        while let deadline = recovery.nextDeadline, deadline <= end {
            now = max(now, deadline)
            tell(.due)
        }
        now = end
    }

    /// Something happens, and all that follows at once.
    mutating func tell(_ event: Recovery.Event) {
        var events = [event]
        while !events.isEmpty {
            for action in recovery.handle(events.removeFirst(), at: now) {
                switch action {
                case .notify(let notice): notices.append(notice)
                case .perform(let step):
                    performed.append(step)
                    events += answers(to: step)
                }
            }
        }
    }

    /// The kernel says something of the adapter numbered `index`.
    mutating func tell(_ event: ManagementEvent, index: UInt16 = 0) {
        tell(.management(event, index: index))
    }

    mutating func plug(_ hardware: Hardware, as index: UInt16 = 0) {
        adapters[index] = hardware
        tell(.indexAdded, index: index)
    }

    mutating func unplug(_ index: UInt16 = 0) {
        adapters[index] = nil
        tell(.indexRemoved, index: index)
    }

    /// Somebody else switches the adapter.
    mutating func switchPower(_ on: Bool) {
        if on { adapters[0]?.settings.insert(.powered) } else { adapters[0]?.settings.remove(.powered) }
        tell(.newSettings(adapters[0]?.settings ?? []))
    }

    // MARK: answers

    private mutating func answers(to step: Step) -> [Recovery.Event] {
        if let code = errors[step] { return [.outcome(.failed(code), of: step)] }
        switch step {
        case .openManagement, .closeController, .reset: return [.outcome(.done([]), of: step)]
        case .readRfkill: return [.outcome(.done([isBlocked ? 1 : 0]), of: step)]
        case .openController(_, let index):
            return [.outcome(adapters[index] == nil ? .failed(19) : .done([]), of: step)]
        case .management(let command, let index): return answers(to: command, index)
        case .controller(let command): return answer(to: command)
        case .confirmScan: return answer(to: .readVersion)
        }
    }

    private func answer(to command: ControllerCommand) -> [Recovery.Event] {
        guard let hardware = adapters.values.first, !hardware.isMute else { return [] }
        let status: UInt8 =
            switch command {
            case .setScanParameters, .setScanEnable(_, true): hardware.scanStatus
            default: 0
            }
        let parameters = command == .readSupportedCommands ? supportedCommands : []
        return [.controller(.reply(opcode: command.opcode, status: status, parameters: parameters))]
    }

    private mutating func answers(to command: ManagementCommand, _ index: UInt16) -> [Recovery.Event] {
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
        case .setLowEnergy(let on):
            if on { hardware.settings.insert(.lowEnergy) } else { hardware.settings.remove(.lowEnergy) }
            return [reply(.success, hardware.settings.bytes)]
        case .readMonitorFeatures:
            return [reply(.success, [1, 0, 0, 0, filtersByItself ? 1 : 0, 0, 0, 0, 32, 0, 16, othersMonitors, 0])]
        // The monitor's interval and window, as the kernel has them: half of the time.
        case .readDefaults: return [reply(.success, [0x13, 0, 2, 0x60, 0, 0x14, 0, 2, 0x30, 0])]
        case .addMonitor:
            defer { nextHandle &+= 1 }
            let added = reply(.success, [UInt8(nextHandle & 0xFF), UInt8(nextHandle >> 8)])
            if hardware.isMute { return [added] }
            // What the controller answers to the kernel passes by.
            return [
                added, .controller(.reply(opcode: 0x200B, status: hardware.scanStatus, parameters: [])),
                .controller(.reply(opcode: 0x200C, status: hardware.scanStatus, parameters: [])),
            ]
        // Nothing in the way, 31 bytes each, five instances; those that are taken.
        case .readAdvertisingFeatures:
            return [reply(.success, [0, 0, 0, 0, 31, 31, 5, UInt8(othersAdvertisements.count)] + othersAdvertisements)]
        default: return [reply(.success)]
        }
    }
}

extension FakeKernel.Hardware {
    /// The answer to Read Controller Information, up to the settings.
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
