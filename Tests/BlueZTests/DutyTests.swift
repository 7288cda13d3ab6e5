import Beacons
import Testing

@testable import BlueZ

private let ours = FakeKernel.Hardware(
    address: DeviceAddress("B8:27:EB:00:00:01", kind: .public)!, settings: [.powered, .lowEnergy])
private let advertisement: [UInt8] = [0x02, 0x01, 0x06]

private func kernel(_ options: BlueZOptions, _ prepare: (inout FakeKernel) -> Void = { _ in }) -> FakeKernel {
    var kernel = FakeKernel(options)
    kernel.adapters[0] = ours
    prepare(&kernel)
    kernel.run()
    return kernel
}

private func reason(_ notice: RadioNotice?) -> String {
    if case .state(_, let reason) = notice { reason } else { "" }
}

/// The commands to the controller among `steps`.
private func commands(_ steps: [Step]) -> [ControllerCommand] {
    steps.compactMap { if case .controller(let command) = $0 { command } else { nil } }
}

@Suite struct DutyTests {
    @Test func `the raw socket scans with legacy commands if the controller has no others`() {
        var kernel = kernel(BlueZOptions(interface: .raw))
        #expect(
            commands(kernel.takePerformed()) == [
                .readSupportedCommands, .setScanEnable(.legacy, false),
                .setScanParameters(.legacy, active: false, interval: 0x60, window: 0x60), .setScanEnable(.legacy, true),
            ])
        #expect(kernel.recovery.duty.interface == .raw)
        #expect(reason(kernel.takeNotices().last) == "scanning through the raw socket, legacy scan")
    }

    @Test func `the raw socket scans with extended commands if the controller has them`() {
        var kernel = kernel(BlueZOptions(interface: .raw, active: true)) { $0.supportedCommands[37] = 0x60 }
        #expect(
            commands(kernel.takePerformed()).suffix(2) == [
                .setScanParameters(.extended, active: true, interval: 0x60, window: 0x60),
                .setScanEnable(.extended, true),
            ])
    }

    @Test func `a controller with half of the extended commands gets legacy commands`() {
        for octet: UInt8 in [0x20, 0x40] {
            var kernel = kernel(BlueZOptions(interface: .raw)) { $0.supportedCommands[37] = octet }
            #expect(commands(kernel.takePerformed()).last == .setScanEnable(.legacy, true))
        }
    }

    @Test func `a raw scan is restored two seconds after a foreign scan command and proven after silence`() {
        var kernel = kernel(BlueZOptions(interface: .raw))
        _ = (kernel.takePerformed(), kernel.takeNotices())
        for _ in 0..<5 { kernel.report(.controller(.reply(opcode: 0x200C, status: 0, parameters: []))) }
        #expect(commands(kernel.takePerformed()) == [])
        kernel.run(.seconds(2))
        #expect(commands(kernel.takePerformed()).last == .setScanEnable(.legacy, true))
        #expect(kernel.takeNotices() == [.proven])
        kernel.run(.seconds(12))
        #expect(kernel.takeNotices() == [.proven])
    }

    @Test func `a broken raw socket means a removed adapter`() {
        var kernel = kernel(BlueZOptions(interface: .raw))
        _ = kernel.takeNotices()
        kernel.report(.controllerBroken(32))  // EPIPE
        #expect(kernel.takeStates() == [.unsupported])
    }

    @Test func `the user channel uses an adapter that is off and configures it itself`() {
        var kernel = kernel(BlueZOptions(interface: .user))
        let steps = kernel.takePerformed()
        #expect(steps.contains(.management(.setPowered(false), index: 0)))
        #expect(steps.contains(.openController(.user, index: 0)))
        #expect(
            commands(steps).prefix(4) == [.reset, .setEventMask, .setLowEnergyEventMask, .readSupportedCommands])
        #expect(kernel.takeStates() == [.poweredOn])
        // The kernel hides the adapter from other programs.
        kernel.report(.indexRemoved)
        #expect(kernel.takeNotices() == [])
        kernel.report(.stop(keepsPower: false))
        #expect(
            kernel.takePerformed().suffix(3) == [
                .controller(.setScanEnable(.legacy, false)), .closeController,
                .management(.setPowered(true), index: 0),
            ])
    }

    @Test func `a hardware error on the user channel causes a reset by this program`() {
        var kernel = kernel(BlueZOptions(interface: .user))
        _ = (kernel.takePerformed(), kernel.takeNotices())
        kernel.report(.controller(.hardwareError(0x42)))
        kernel.run(.seconds(2))
        #expect(commands(kernel.takePerformed()).first == .reset)
        #expect(kernel.takeStates() == [.resetting, .poweredOn])
    }

    @Test func `a kernel without monitors leads to the raw socket with a reason`() {
        var kernel = kernel(BlueZOptions()) { $0.statuses[0x0051] = .unknownCommand }
        #expect(kernel.recovery.duty.interface == .raw)
        #expect(
            reason(kernel.takeNotices().last)
                == "scanning through the raw socket, legacy scan (the kernel has no advertisement monitor, which 5.10 and later have)"
        )
    }

    @Test func `a filtering controller is scanned over the raw socket, or else gets the patterns of all frames`() {
        var kernel1 = kernel(BlueZOptions()) { $0.filtersByItself = true }
        #expect(kernel1.recovery.duty.interface == .raw)
        #expect(kernel1.takeStates() == [.poweredOn])
        let kernel2 = kernel(BlueZOptions()) {
            $0.filtersByItself = true
            $0.errors[.openController(.raw, index: 0)] = 1  // EPERM
        }
        #expect(kernel2.recovery.duty.interface == .monitor)
        #expect(kernel2.recovery.state == .poweredOn)
    }

    @Test func `CAP_NET_RAW alone is sufficient for an adapter that is on`() {
        var kernel = kernel(BlueZOptions()) { $0.statuses[0x0051] = .permissionDenied }
        #expect(kernel.recovery.duty.interface == .raw)
        #expect(kernel.takeStates() == [.poweredOn])
    }

    @Test func `a process without capabilities gets one sentence with the missing one and how to grant it`() throws {
        var kernel = kernel(BlueZOptions()) {
            $0.statuses[0x0051] = .permissionDenied
            $0.errors[.controller(.setScanEnable(.legacy, false))] = 1  // EPERM
        }
        let notices = kernel.takeNotices()
        #expect(notices.count == 1)
        guard case .state(.unauthorized, let reason) = try #require(notices.last) else {
            return #expect(Bool(false), "\(notices)")
        }
        #expect(reason.contains("CAP_NET_ADMIN is missing"))
        #expect(reason.contains("setcap cap_net_admin,cap_net_raw+ep /"))
        #expect(reason.contains("AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW"))
        kernel.run(.seconds(300))
        #expect(kernel.takeNotices() == [])
    }

    @Test func `an adapter that is off without permission to switch it on is reported as off`() {
        var kernel = kernel(BlueZOptions()) {
            $0.adapters[0]?.settings = [.lowEnergy]
            $0.statuses[0x0005] = .permissionDenied
        }
        guard case .state(.poweredOff, let reason) = kernel.takeNotices().last else {
            return #expect(Bool(false), "no state")
        }
        #expect(reason.contains("CAP_NET_ADMIN is missing"))
    }

    @Test func `monitors of killed processes are removed when there is no room`() {
        var kernel = kernel(BlueZOptions()) { $0.statuses[0x0052] = .noResources }
        #expect(kernel.takePerformed().contains(.management(.removeMonitor(handle: 0), index: 0)))
        kernel.statuses = [:]
        kernel.run(.seconds(60))
        #expect(kernel.recovery.state == .poweredOn)
    }

    @Test func `an advertisement uses the highest free instance and its interval`() {
        var kernel = FakeKernel(duty: AdvertisingDuty(data: advertisement, interval: 160))
        kernel.adapters[0] = ours
        kernel.run()
        #expect(
            kernel.takePerformed().suffix(4) == [
                .management(.readAdvertisingFeatures, index: 0),
                .management(.addAdvertisingParameters(instance: 5, interval: 160), index: 0),
                .management(.addAdvertisingData(instance: 5, data: advertisement), index: 0),
                .openController(.ask, index: 0),
            ])
        #expect(kernel.takeNotices() == [.state(.poweredOn, reason: "advertising")])
        #expect(kernel.recovery.nextDeadline == nil)
    }

    @Test(arguments: [ManagementStatus.rejected, .failed, .invalidParameters])
    func `a beacon that the kernel refuses interrupts nobody's scan, however long`(status: ManagementStatus) {
        var kernel = FakeKernel(duty: AdvertisingDuty(data: advertisement, interval: 32))
        kernel.adapters[0] = ours
        kernel.statuses[0x0054] = status
        kernel.run(.seconds(3600))
        let steps = kernel.takePerformed()
        #expect(!steps.contains(.management(.setPowered(false), index: 0)) && !steps.contains(.reset(index: 0)))
        #expect(kernel.recovery.state == .unknown)
        kernel.statuses = [:]
        kernel.run(.seconds(60))
        #expect(kernel.recovery.state == .poweredOn)
    }

    @Test func `a beacon takes the place that a killed gateway left, each time, and else waits`() {
        for _ in 0..<2 {
            var kernel = FakeKernel(duty: AdvertisingDuty(data: advertisement, interval: 160))
            kernel.adapters[0] = ours
            kernel.othersAdvertisements = [1, 2, 3, 4, 5]
            kernel.run()
            let steps = kernel.takePerformed()
            #expect(steps.contains(.management(.removeAdvertising(instance: 5), index: 0)))
            #expect(kernel.recovery.state == .poweredOn)
        }
    }

    @Test func `an advertisement that another program removed is sent again`() {
        var kernel = FakeKernel(duty: AdvertisingDuty(data: advertisement, interval: 160))
        kernel.adapters[0] = ours
        kernel.run()
        _ = (kernel.takePerformed(), kernel.takeNotices())
        kernel.report(.advertisingRemoved(instance: 1))
        #expect(kernel.takePerformed() == [])
        kernel.report(.advertisingRemoved(instance: 5))
        #expect(
            kernel.takePerformed().contains(
                .management(.addAdvertisingData(instance: 5, data: advertisement), index: 0)))
        #expect(
            reason(kernel.takeNotices().last) == "another program removed the advertisement; restored: advertising")
        kernel.report(.stop(keepsPower: false))
        #expect(
            kernel.takePerformed() == [.management(.removeAdvertising(instance: 5), index: 0), .closeController])
    }

    @Test func `an advertisement is restored after a foreign command, at most twice a minute`() {
        var kernel = FakeKernel(duty: AdvertisingDuty(data: advertisement, interval: 160))
        kernel.adapters[0] = ours
        kernel.run(.seconds(60))
        _ = (kernel.takePerformed(), kernel.takeNotices())
        func begun(_ steps: [Step]) -> Int {
            steps.count { $0 == .management(.addAdvertisingData(instance: 5, data: advertisement), index: 0) }
        }
        kernel.report(.controller(.reply(opcode: 0x200C, status: 0, parameters: [])))
        kernel.run(.seconds(10))
        #expect(begun(kernel.takePerformed()) == 0, "a scan's end is not the advertisement's")
        kernel.report(.controller(.reply(opcode: 0x200A, status: 0, parameters: [])))
        kernel.run(.seconds(2))
        #expect(begun(kernel.takePerformed()) == 1)
        for _ in 0..<20 {
            kernel.report(.controller(.reply(opcode: 0x200A, status: 0, parameters: [])))
            kernel.run(.seconds(2))
        }
        #expect(begun(kernel.takePerformed()) == 1)
        #expect(kernel.recovery.state == .poweredOn)
    }

    @Test func `a kernel with one interval for all advertisements gets its own interval back`() {
        var kernel = FakeKernel(duty: AdvertisingDuty(data: advertisement, interval: 160))
        kernel.adapters[0] = ours
        kernel.statuses[0x0054] = .unknownCommand
        kernel.run()
        #expect(
            kernel.takePerformed().dropLast().suffix(2) == [
                .management(.setDefaults([.advertisingMinimum: 160, .advertisingMaximum: 160]), index: 0),
                .management(.addAdvertising(instance: 5, data: advertisement), index: 0),
            ])
        #expect(kernel.takeStates() == [.poweredOn])
    }

    @Test func `capabilities are read from the kernel's status file`() {
        #expect(
            Capabilities(status: "Name:\tx\nCapEff:\t0000000000003000\n").held == [.networkAdministration, .rawSockets])
        #expect(Capabilities(status: "CapEff:\t0000000000001000\n").held == [.networkAdministration])
        #expect(Capabilities(status: "CapEff:\tnonsense\n").held == [])
        #expect(Capabilities(status: "").held == [])
    }
}
