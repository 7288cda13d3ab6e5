import Beacons
import HCI
import Testing

@testable import BlueZ

private let ours = FakeKernel.Hardware(address: DeviceAddress("B8:27:EB:00:00:01", kind: .public)!)
private let other = FakeKernel.Hardware(address: DeviceAddress("B8:27:EB:00:00:02", kind: .public)!)

/// A kernel with a responding adapter as hci0.
private func listening(_ options: BlueZOptions = BlueZOptions()) -> FakeKernel {
    var kernel = FakeKernel(options)
    kernel.adapters[0] = ours
    kernel.run()
    #expect(kernel.takeStates().last == .poweredOn)
    _ = kernel.takePerformed()
    return kernel
}

@Suite struct RecoveryTests {
    @Test func `an adapter is reported on only after Low Energy, power, timing and a monitor are set`() {
        var kernel = FakeKernel()
        kernel.adapters[0] = ours
        kernel.run()
        let asked = kernel.takePerformed().compactMap {
            if case .management(let command, 0) = $0 { command } else { nil }
        }
        #expect(
            asked == [
                .readInformation, .readInformation, .setLowEnergy(true), .setPowered(true), .readMonitorFeatures,
                .readDefaults, .setDefaults([.monitorInterval: 0x60, .monitorWindow: 0x60]),
                .addMonitor(MonitorDuty.patterns),
            ])
        #expect(
            kernel.takeNotices() == [
                .state(.poweredOn, reason: "scanning through the kernel's advertisement monitor")
            ])
    }

    @Test func `a missing adapter is reported and used as soon as it comes`() {
        var kernel = FakeKernel()
        kernel.run()
        #expect(kernel.takeNotices() == [.state(.unsupported, reason: "there is no adapter hci0, and no other")])
        kernel.plug(other, as: 1)
        kernel.plug(ours, as: 0)
        #expect(kernel.takeStates().last == .poweredOn)
        #expect(kernel.recovery.known == ours.address)
    }

    @Test func `an adapter that was on when it was found stays on, also if it was unplugged meanwhile`() {
        var kernel = FakeKernel()
        var hardware = ours
        hardware.settings = [.powered, .lowEnergy]
        kernel.plug(hardware)
        kernel.run()
        for _ in 0..<2 {
            kernel.unplug()
            kernel.run(.seconds(30))
            kernel.report(.restart)
            // The kernel registers an adapter switched off.
            kernel.plug(ours)
            kernel.run(.seconds(30))
            #expect(kernel.recovery.state == .poweredOn)
        }
        kernel.report(.stop(keepsPower: false))
        #expect(kernel.adapters[0]?.settings.contains(.powered) == true)
    }

    @Test func `an adapter without an event of the kernel is found`() {
        var kernel = FakeKernel()
        kernel.run()
        kernel.adapters[0] = ours
        kernel.run(.seconds(10))
        #expect(kernel.takeStates().last == .poweredOn)
    }

    @Test func `a kernel without Bluetooth is retried`() {
        var kernel = FakeKernel()
        kernel.errors[.openManagement] = 97  // EAFNOSUPPORT
        kernel.run()
        #expect(kernel.takeStates() == [.unsupported])
        kernel.errors = [:]
        kernel.adapters[0] = ours
        kernel.run(.seconds(5))
        #expect(kernel.takeStates().last == .poweredOn)
    }

    @Test func `an adapter named by number is followed by its address`() {
        var kernel = listening()
        kernel.unplug()
        #expect(kernel.takeStates() == [.unsupported])
        kernel.plug(other, as: 0)
        kernel.run(.seconds(9))
        #expect(kernel.takeStates().contains(.poweredOn) == false)
        kernel.plug(ours, as: 3)
        #expect(kernel.takeStates().last == .poweredOn)
        #expect(kernel.recovery.adapter?.index == 3)
    }

    @Test func `of adapters that share an address the one with the number is used, and another only if it stays away`()
    {
        var kernel = listening()
        kernel.adapters = [0: ours, 1: ours]
        for _ in 1...2 {
            kernel.report(.restart)
            kernel.run(.seconds(1))
            #expect(kernel.recovery.adapter?.index == 0)
            kernel.unplug()
            kernel.run(.seconds(9))
            #expect(kernel.recovery.adapter == nil)
            kernel.plug(ours)
            #expect(kernel.recovery.adapter?.index == 0)
        }
        kernel.unplug()
        kernel.run(.seconds(21))
        #expect(kernel.recovery.adapter?.index == 1)
    }

    @Test func `another adapter with the same number is used if the first one stays away`() {
        var kernel = listening()
        kernel.unplug()
        kernel.plug(other, as: 0)
        kernel.run(.seconds(21))
        #expect(kernel.takeStates().last == .poweredOn)
        #expect(kernel.recovery.known == other.address)
    }

    @Test func `an adapter named by its address is never exchanged for another`() {
        var kernel = FakeKernel(BlueZOptions(adapter: .address(ours.address)))
        kernel.adapters[0] = other
        kernel.run(.seconds(100))
        #expect(kernel.takeStates() == [.unsupported])
        kernel.plug(ours, as: 7)
        #expect(kernel.takeStates().last == .poweredOn)
    }

    @Test func `an adapter that was switched off is switched on again, at most every ten seconds`() {
        var kernel = listening()
        kernel.run(.seconds(11))
        kernel.switchPower(false)
        #expect(kernel.takeStates() == [.poweredOff, .poweredOn])
        kernel.switchPower(false)
        #expect(kernel.takeStates() == [.poweredOff])
        kernel.run(.seconds(9.9))
        #expect(kernel.takeStates() == [])
        kernel.run(.seconds(0.2))
        #expect(kernel.takeStates() == [.poweredOn])
    }

    @Test func `an adapter that another program switches on is used at once`() {
        var kernel = listening()
        kernel.statuses[0x0005] = .blockedByRfkill
        kernel.switchPower(false)
        #expect(kernel.takeStates().last == .poweredOff)
        kernel.statuses = [:]
        kernel.switchPower(true)
        #expect(kernel.takeStates() == [.poweredOn])
    }

    @Test func `a block by rfkill is reported, and the adapter is used two seconds after the block ends`() throws {
        var kernel = listening()
        kernel.run(.seconds(11))
        kernel.isBlocked = true
        kernel.switchPower(false)
        guard case .state(.poweredOff, let reason) = try #require(kernel.takeNotices().last) else {
            return #expect(Bool(false), "no state")
        }
        #expect(reason.contains("rfkill unblock bluetooth"))
        kernel.run(.seconds(60))
        #expect(kernel.takeStates() == [])
        kernel.isBlocked = false
        kernel.run(.seconds(2))
        #expect(kernel.takeStates() == [.poweredOn])
    }

    @Test func `an adapter that the kernel fails to switch on is retried and then reset`() {
        var kernel = FakeKernel()
        kernel.adapters[0] = ours
        kernel.statuses[0x0005] = .failed
        kernel.run(.seconds(0.9))
        #expect(kernel.takeStates() == [])
        kernel.run(.seconds(1))
        #expect(kernel.takeStates().first == .resetting)
        kernel.statuses = [:]
        kernel.run(.seconds(10))
        #expect(kernel.takeStates().last == .poweredOn)
    }

    @Test func `a monitor that another program removed is added again, which is reported`() {
        var kernel = listening()
        for handle: UInt16 in [1, 0] {
            kernel.report(.monitorRemoved(handle: handle))
            guard case .state(.poweredOn, let reason) = kernel.takeNotices().last else {
                return #expect(Bool(false), "no state")
            }
            #expect(reason.hasPrefix("another program removed the advertisement monitor; restored"))
        }
        kernel.report(.monitorRemoved(handle: 9))
        #expect(kernel.takeNotices() == [])
    }

    @Test func `a monitor that is removed again while it is restored is added once more`() {
        var kernel = listening()
        for _ in 1...2 {
            let added = kernel.nextHandle
            // The controller is slow to confirm the scan.
            kernel.adapters[0]?.isMute = true
            kernel.report(.monitorRemoved(handle: added - 1))
            kernel.report(.monitorRemoved(handle: added))
            kernel.adapters[0]?.isMute = false
            #expect(kernel.nextHandle == added + 2)
            for opcode: UInt16 in [0x200B, 0x200C] {
                kernel.report(.controller(.reply(opcode: opcode, status: 0, parameters: [])))
            }
            #expect(kernel.takeStates() == [.poweredOn])
            kernel.report(.monitorRemoved(handle: added))
            #expect(kernel.takePerformed().last == .closeController)
        }
    }

    @Test
    func
        `after twelve seconds of silence the monitor is removed and added, and a controller that responds is left alone`()
    {
        var kernel = listening()
        kernel.run(.seconds(11.9))
        #expect(kernel.takePerformed() == [])
        kernel.run(.seconds(0.2))
        #expect(kernel.takeNotices() == [.proven])
        #expect(
            kernel.takePerformed() == [
                .management(.setDefaults([.monitorInterval: 0x60, .monitorWindow: 0x60]), index: 0),
                .openController(.ask, index: 0), .management(.removeMonitor(handle: 1), index: 0),
                .management(.addMonitor(MonitorDuty.patterns), index: 0), .confirmScan, .closeController,
            ])
        kernel.run(.seconds(80))
        #expect(kernel.takeNotices().allSatisfy { $0 == .proven })
        #expect(!kernel.takePerformed().contains(.management(.setPowered(false), index: 0)))
    }

    @Test func `an advertisement postpones the next proof`() {
        var kernel = listening()
        for _ in 0..<100 {
            kernel.run(.seconds(11))
            kernel.report(.received)
        }
        #expect(kernel.takePerformed() == [])
    }

    @Test func `an unresponsive controller gets harder remedies each time and is on when it responds`() {
        var kernel = listening()
        kernel.adapters[0]?.isMute = true
        kernel.run(.seconds(120))
        let states = kernel.takeStates()
        #expect(states.first == .resetting)
        #expect(states.contains(.unknown))
        #expect(!states.contains(.poweredOn))
        let steps = kernel.takePerformed()
        let cycle = steps.firstIndex(of: .management(.setPowered(false), index: 0))
        let reset = steps.firstIndex(of: .reset(index: 0))
        let reopen = steps.firstIndex(of: .openManagement)
        #expect(cycle != nil && reset != nil && reopen != nil)
        #expect((cycle ?? 0) < (reset ?? 0) && (reset ?? 0) < (reopen ?? 0))
        kernel.adapters[0]?.isMute = false
        kernel.run(.seconds(80))
        #expect(kernel.takeStates().last == .poweredOn)
    }

    @Test func `an unresponsive controller is detected within fifteen seconds`() {
        var kernel = listening()
        kernel.adapters[0]?.isMute = true
        kernel.run(.seconds(15))
        #expect(kernel.takeStates() == [.resetting])
    }

    @Test func `a controller that refuses to scan is not reported as scanning`() {
        var kernel = FakeKernel()
        kernel.adapters[0] = ours
        kernel.adapters[0]?.scanStatus = 0x0C
        kernel.run(.seconds(30))
        #expect(!kernel.takeStates().contains(.poweredOn))
        kernel.adapters[0]?.scanStatus = 0
        kernel.run(.seconds(60))
        #expect(kernel.takeStates().last == .poweredOn)
    }

    @Test func `a request for proof yields a proof or the state`() {
        var kernel = listening()
        kernel.report(.prove)
        #expect(kernel.takeNotices() == [.proven])
        kernel.unplug()
        _ = kernel.takeNotices()
        kernel.report(.prove)
        #expect(kernel.takeNotices() == [.state(.unsupported, reason: "hci0 was unplugged")])
    }

    @Test func `a restart begins with a new socket, switches the adapter off and on, and leaves no monitor behind`() {
        var kernel = listening()
        for handle: UInt16 in 1...2 {
            kernel.report(.restart)
            kernel.run(.seconds(1))
            let steps = kernel.takePerformed()
            #expect(steps.first == .openManagement)
            let off = steps.firstIndex(of: .management(.setPowered(false), index: 0))
            let on = steps.firstIndex(of: .management(.setPowered(true), index: 0))
            #expect(off != nil && on != nil && off! < on!)
            #expect(steps.contains(.management(.removeMonitor(handle: handle), index: 0)))
            #expect(kernel.takeStates() == [.resetting, .poweredOn])
        }
    }

    @Test(arguments: [AdapterName.index(0), .address(ours.address)])
    func `a restart follows the adapter by its address and accepts a replacement at once`(
        name: AdapterName
    ) {
        var kernel = listening(BlueZOptions(adapter: name))
        // Both adapters return with each other's number, without an event.
        kernel.adapters = [0: other, 1: ours]
        kernel.report(.restart)
        #expect(kernel.recovery.known == ours.address)
        kernel.run(.seconds(1))
        #expect(kernel.takeStates() == [.resetting, .poweredOn])
        #expect(kernel.recovery.adapter?.index == 1 && kernel.recovery.known == ours.address)

        kernel.adapters = [0: other]
        kernel.report(.restart)
        kernel.run(.seconds(1))
        let isNamedByNumber = name == .index(0)
        #expect(kernel.takeStates().last == (isNamedByNumber ? .poweredOn : .unsupported))
        #expect(kernel.recovery.adapter?.address == (isNamedByNumber ? other.address : nil))
    }

    @Test func `a stop restores the adapter's previous state`() {
        var kernel = listening()
        kernel.report(.stop(keepsPower: false))
        #expect(
            kernel.takePerformed() == [
                .management(.removeMonitor(handle: 1), index: 0),
                .management(.setDefaults([.monitorInterval: 0x60, .monitorWindow: 0x30]), index: 0),
                .management(.readMonitorFeatures, index: 0), .management(.readAdvertisingFeatures, index: 0),
                .management(.setPowered(false), index: 0), .management(.setLowEnergy(false), index: 0),
            ])
        #expect(kernel.recovery.isStopped)
        #expect(kernel.recovery.nextDeadline == nil)
    }

    @Test func `a stop leaves an adapter on that other programs use for scanning or advertising`() {
        var kernel = listening()
        kernel.othersMonitors = 1
        kernel.report(.stop(keepsPower: false))
        #expect(kernel.adapters[0]?.settings == [.powered, .lowEnergy])
        kernel = listening()
        kernel.othersAdvertisements = [1]
        kernel.report(.stop(keepsPower: false))
        #expect(kernel.adapters[0]?.settings == [.powered, .lowEnergy])
    }

    @Test func `a proof requested while the monitor is restored follows later`() {
        var kernel = listening()
        kernel.statuses[0x0052] = .busy
        kernel.report(.monitorRemoved(handle: 1))
        kernel.report(.prove)
        #expect(kernel.takeStates() == [.unknown, .unknown])
        kernel.statuses = [:]
        kernel.run(.seconds(1))
        #expect(kernel.takeStates() == [.poweredOn])
    }

    @Test func `no event starts anything after a stop`() {
        var kernel = listening()
        kernel.adapters[0]?.isSlow = true
        kernel.report(.stop(keepsPower: false))
        _ = kernel.takePerformed()
        for event: Recovery.Event in [.prove, .restart, .received, .management(.indexRemoved, index: 0)] {
            kernel.report(event)
        }
        #expect(kernel.takePerformed() == [])
        kernel.report(.managementBroken)
        #expect(kernel.recovery.isStopped)
        #expect(kernel.takeNotices() == [])
    }

    @Test func `a stop waits for no response longer than the limit`() {
        var kernel = listening()
        kernel.adapters[0]?.isSlow = true
        kernel.report(.stop(keepsPower: false))
        kernel.run(.seconds(60))
        #expect(kernel.recovery.isStopped)
    }

    @Test func `a stop leaves an adapter on that was on or that another program needs`() {
        var kernel = FakeKernel()
        kernel.adapters[0] = ours
        kernel.adapters[0]?.settings = [.powered, .lowEnergy]
        kernel.run()
        kernel.report(.stop(keepsPower: false))
        #expect(kernel.adapters[0]?.settings == [.powered, .lowEnergy])
        kernel = listening()
        kernel.report(.stop(keepsPower: true))
        #expect(kernel.adapters[0]?.settings == [.powered, .lowEnergy])
    }

    @Test func `no sequence of events traps, and a responding adapter is on at the end`() {
        for seed: UInt64 in 0..<200 {
            var random = SplitMix64(seed: seed)
            var kernel = FakeKernel(
                BlueZOptions(interface: AdapterInterface.allCases.randomElement(using: &random)!))
            kernel.supportedCommands[37] = Bool.random(using: &random) ? 0x60 : 0
            for _ in 0..<60 { kernel.suffer(&random) }
            kernel.adapters = [0: ours]
            kernel.statuses = [:]
            kernel.errors = [:]
            kernel.report(.indexRemoved)
            kernel.report(.indexAdded)
            kernel.run(.seconds(200))
            #expect(kernel.recovery.state == .poweredOn, "seed \(seed)")
        }
    }
}

extension FakeKernel {
    /// One possible event of an adapter.
    fileprivate mutating func suffer(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: plug(ours, as: UInt16.random(in: 0...2, using: &random))
        case 1: unplug(UInt16.random(in: 0...2, using: &random))
        case 2: switchPower(Bool.random(using: &random))
        case 3: adapters[0]?.isMute.toggle()
        case 4: adapters[0]?.scanStatus = [0, 0x0C].randomElement(using: &random)!
        case 5: statuses = [0x0005: [.blockedByRfkill, .busy, .failed].randomElement(using: &random)!]
        case 6: statuses = [:]
        case 7: report(.monitorRemoved(handle: 0))
        case 8: report(.controllerBroken(32))
        case 9: report(.managementBroken)
        case 10: report([.prove, .restart, .received, .due].randomElement(using: &random)!)
        case 11: report(.controller(.hardwareError(1)))
        case 12: report(.controller(.reply(opcode: 0x200C, status: 0, parameters: [])))
        default: run(.seconds(Double.random(in: 0...30, using: &random)))
        }
    }
}
