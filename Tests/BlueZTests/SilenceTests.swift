import Beacons
import HCI
import Testing

@testable import BlueZ

/// An adapter that responds to every command, and receives nothing: it may be deaf, or the house may be quiet.
@Suite("An adapter that responds and receives nothing")
struct SilenceTests {
    private let hardware = FakeKernel.Hardware(address: DeviceAddress("B8:27:EB:00:00:01", kind: .public)!)

    private func scanning(_ interface: AdapterInterface) -> FakeKernel {
        var kernel = FakeKernel(BlueZOptions(interface: interface))
        kernel.adapters[0] = hardware
        kernel.run()
        #expect(kernel.takeStates().last == .poweredOn)
        return kernel
    }

    /// The seconds of a silence of `length` at which the radio reports that it scans again.
    private func restarts(_ kernel: inout FakeKernel, within length: Int) -> [Int] {
        var seconds: [Int] = []
        for second in 1...length {
            kernel.run(.seconds(1))
            let states = kernel.takeStates()
            #expect(states.allSatisfy { $0 == .poweredOn })
            if !states.isEmpty { seconds.append(second) }
        }
        return seconds
    }

    @Test(arguments: [AdapterInterface.monitor, .raw, .user])
    func `is restarted after 100 s, 10 min, 1 h and then each six hours, and counts as scanning all the time`(
        interface: AdapterInterface
    ) {
        var kernel = scanning(interface)
        // The first silence ended by itself: shorter ones are no sign from then on.
        for expected in [[100, 600, 3600, 21_600, 43_200], [21_600, 43_200]] {
            kernel.report(.received)
            _ = kernel.takePerformed()
            let seconds = restarts(&kernel, within: 50_000)
            #expect(seconds.count == expected.count)
            for (second, due) in zip(seconds, expected) { #expect((due..<due + 20).contains(second)) }
            let offs = kernel.takePerformed().count { $0 == .management(.setPowered(false), index: 0) }
            #expect(offs == (interface == .user ? 0 : expected.count))
        }
    }

    @Test
    func
        `is restarted after 100 s again if the restart has cured it, and not if it receives something every few minutes`()
    {
        var kernel = scanning(.monitor)
        for _ in 1...3 {
            kernel.report(.received)
            #expect(restarts(&kernel, within: 115).count == 1)
        }
        kernel.report(.received)
        #expect(restarts(&kernel, within: 240).count == 1)
        for _ in 1...20 {
            kernel.report(.received)
            #expect(restarts(&kernel, within: 240) == [])
        }
    }

    @Test(arguments: [AdapterInterface.monitor, .raw])
    func `is not switched off while a device is connected, reports that, and is once none is`(
        interface: AdapterInterface
    ) {
        var kernel = scanning(interface)
        for connections: UInt8 in [1, 3] {
            kernel.report(.received)
            kernel.connections = connections
            kernel.run(.seconds(115))
            _ = kernel.takePerformed()
            let reasons = kernel.takeNotices().compactMap { notice -> String? in
                if case .state(.poweredOn, let reason) = notice { reason } else { nil }
            }
            #expect(reasons.count == 1)
            #expect(reasons.allSatisfy { $0.hasSuffix("it is not restarted, because devices are connected)") })
            kernel.run(.seconds(400))
            #expect(kernel.takeNotices().allSatisfy { if case .state = $0 { false } else { true } })
            kernel.connections = 0
            #expect(restarts(&kernel, within: 110).count == 1)
            #expect(kernel.takePerformed().count { $0 == .management(.setPowered(false), index: 0) } == 1)
        }
    }

    @Test(arguments: [ManagementStatus.unknownCommand, .permissionDenied])
    func `is switched off and on also if the kernel does not respond how many devices are connected, each time`(
        status: ManagementStatus
    ) {
        var kernel = scanning(.monitor)
        kernel.statuses[ManagementCommand.readConnections.opcode] = status
        for _ in 1...2 {
            kernel.report(.received)
            _ = kernel.takePerformed()
            #expect(restarts(&kernel, within: 115).count == 1)
            #expect(kernel.takePerformed().count { $0 == .management(.setPowered(false), index: 0) } == 1)
        }
    }

    @Test func `is not restarted after the machine slept, each time`() {
        var kernel = scanning(.monitor)
        for _ in 1...2 {
            kernel.report(.received)
            kernel.sleep(.seconds(5000))
            #expect(restarts(&kernel, within: 90) == [])
        }
    }

    @Test func `is not restarted while something is received each minute, twice`() {
        var kernel = scanning(.monitor)
        for _ in 1...2 {
            for _ in 0..<100 {
                #expect(restarts(&kernel, within: 60) == [])
                kernel.report(.received)
            }
            // The proofs alone change nothing.
            for _ in 0..<90 {
                kernel.report(.prove)
                #expect(restarts(&kernel, within: 1) == [])
            }
            kernel.report(.received)
        }
    }

    @Test func `proves itself as soon as it was restarted, if that was requested meanwhile, twice`() {
        var kernel = scanning(.monitor)
        for _ in 1...2 {
            kernel.report(.received)
            kernel.run(.seconds(99))
            _ = kernel.takeNotices()
            kernel.adapters[0]?.isSlow = true
            kernel.run(.seconds(10))
            kernel.report(.prove)
            kernel.adapters[0]?.isSlow = false
            kernel.run(.seconds(60))
            #expect(kernel.takeNotices().contains(.proven))
            #expect(kernel.recovery.state == .poweredOn)
        }
    }

    @Test func `is silent from the moment on at which it scans again, not from its last advertisement, twice`() {
        var kernel = scanning(.monitor)
        for _ in 1...2 {
            kernel.report(.received)
            kernel.run(.seconds(30))
            kernel.unplug()
            kernel.run(.seconds(3600))
            kernel.plug(hardware)
            kernel.run(.seconds(1))
            _ = kernel.takeNotices()
            #expect(restarts(&kernel, within: 95) == [])
            #expect(restarts(&kernel, within: 30).count == 1)
        }
    }
}
