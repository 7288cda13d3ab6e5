import Beacons
import Glibc
import HCI
import Linux

/// An adapter of this machine that scans or transmits through the kernel, and goes on after failures.
///
/// It detects failures of the adapter, such as a silence of 12 s, and applies the gentlest step that helps. A notice reports each change of
/// state; `poweredOn` means scanning or transmitting. To distinguish a quiet room from a dead adapter, it queries the controller. It handles
/// power changes of the adapter, and restores an advertisement that another program removed. Only `stop` blocks, for 3 s at most.
package final class BlueZRadio: Radio {
    private(set) var recovery: Recovery
    private var management: PacketSocket?
    private var controller: PacketSocket?
    private var reset: ControllerReset?
    private let buffer = PacketBuffer()
    private var notices: [RadioNotice] = []
    private var events: [Recovery.Event] = []
    /// Decodes the advertisements in the controller's events.
    private var decoder = AdvertisementDecoder()

    private init(_ recovery: Recovery) { self.recovery = recovery }

    /// Creates a radio that searches for its adapter with the first `advance`, and scans.
    package convenience init(_ options: BlueZOptions = BlueZOptions()) {
        self.init(Recovery(name: options.adapter, candidates: options.duties))
    }

    /// Creates a radio that searches for its adapter with the first `advance`, and transmits an iBeacon. The adapter may scan or serve
    /// bluetoothd at the same time.
    ///
    /// - Parameter interval: the interval between advertisements: 20 ms to 10.24 s in steps of 0.625 ms. Other values are rounded and clamped.
    ///   Controllers before Bluetooth 5 may refuse less than 100 ms. On controllers with only legacy advertising, the kernel always sends every
    ///   100 to 150 ms (measured with Linux 6.1 and 6.12 in the virtual machine).
    package convenience init(
        transmitting beacon: BeaconIdentity, measuredPower: MeasuredPower = MeasuredPower(dBm: -59),
        every interval: Interval, by adapter: AdapterName
    ) {
        let frame = BeaconFrame(format: .iBeacon, identity: beacon, measuredPower: measuredPower)
        // The controller's units (Core 5.4, Vol 4, E 7.8.5).
        let units = UInt16(max(0x0020, min(0x4000, (interval.seconds / 0.000_625).rounded())))
        let duty = AdvertisingDuty(data: frame.advertisingData, interval: units)
        self.init(Recovery(name: adapter, candidates: [duty]))
    }

    deinit {
        // A monitor outlives its socket, so deinit removes it even if `stop` was not called.
        stop()
    }

    /// The kernel interface in use, with the name that `info` has.
    package var interfaceName: String? { recovery.duty.interface?.rawValue }
    /// The adapter's own address; `nil` until the adapter is found.
    package var address: DeviceAddress? { recovery.known }
    /// The adapter's current name, such as `hci0`; `nil` while there is none.
    package var adapterName: String? { recovery.adapter?.name }
    /// The counts of the controller's reports that were refused (raw socket and user channel only).
    package var counters: ScanCounters { decoder.counters }

    /// The kernel's sockets. They change whenever an adapter comes or goes, so read them again after each `advance`.
    package var descriptors: [Int32] {
        [management?.number, controller?.number, reset?.work.number].compactMap { $0 }
    }

    /// When to call `advance` to check the adapter.
    package var nextDeadline: Instant? { notices.isEmpty ? recovery.nextDeadline : .zero }

    /// Processes received packets, about a thousand advertisements at most, and checks the adapter.
    package func advance(to now: Instant, receive: (Advertisement, RawSpan) -> Void) -> [RadioNotice] {
        readManagement(at: now, receive)
        readController(at: now, receive)
        if let reset, let outcome = reset.work.outcome {
            self.reset = nil
            events.append(.outcome(outcome, of: .reset(index: reset.index)))
        }
        events.append(.due)
        settle(at: now)
        defer { notices = [] }
        return notices
    }

    /// Queries the controller and restarts the scan. `.proven` follows within about 5 s, or the current state if the
    /// adapter is not scanning.
    package func prove(at now: Instant) { report(.prove, at: now) }

    /// Restarts with new sockets, beginning with the best interface.
    package func restart(at now: Instant) { report(.restart, at: now) }

    /// Passes an event that did not come from a socket to the state machine.
    private func report(_ event: Recovery.Event, at now: Instant) {
        events.append(event)
        settle(at: now)
    }

    /// Ends the scan or the advertisement, and restores the adapter's power, Low Energy and scan timing. If bluetoothd is running, power stays on.
    package func stop() {
        guard !recovery.isStopped else { return }
        report(.stop(keepsPower: Bluetoothd.isRunning), at: Clock.now)
        let limit = Clock.now + .seconds(3)
        while !recovery.isStopped, Clock.now < limit {
            _ = wait(for: descriptors, until: min(nextDeadline ?? limit, limit))
            _ = advance(to: Clock.now) { _, _ in }
        }
        management = nil
        controller = nil
        reset = nil
    }

    // MARK: Input

    private func readManagement(at now: Instant, _ receive: (Advertisement, RawSpan) -> Void) {
        guard let management else { return }
        let scannedIndex = recovery.duty.interface == .monitor ? recovery.adapter?.index : nil
        var wasReceived = false
        do throws(SystemError) {
            try management.drain(through: buffer) { packet in
                do throws(ManagementRefusal) {
                    let event = try ManagementEvent.decode(packet, at: now) { index, advertisement, data in
                        guard index == scannedIndex else { return }
                        // A controller that delivers nothing but empty advertisements is stuck.
                        if data.byteCount > 0 { wasReceived = true }
                        receive(advertisement, data)
                    }
                    if let event { events.append(.management(event.event, index: event.index)) }
                } catch {
                    // A correct kernel sends no invalid packet.
                }
            }
        } catch {
            self.management = nil
            events.append(.managementBroken)
        }
        if wasReceived { events.append(.received) }
        if let lost = self.management?.drainLost(), lost > 0 { notices.append(.lost(lost)) }
    }

    private func readController(at now: Instant, _ receive: (Advertisement, RawSpan) -> Void) {
        guard let controller else { return }
        var wasReceived = false
        do throws(SystemError) {
            try controller.drain(through: buffer) { packet in
                decoder.decode(packet, at: now) { advertisement, data in
                    if data.byteCount > 0 { wasReceived = true }
                    receive(advertisement, data)
                }
                if let event = ControllerEvent(packet) { events.append(.controller(event)) }
            }
        } catch {
            self.controller = nil
            events.append(.controllerBroken(error.code))
        }
        if wasReceived { events.append(.received) }
        if let lost = self.controller?.drainLost(), lost > 0 { notices.append(.lost(lost)) }
    }

    // MARK: Output

    /// Passes all events to the state machine and performs its actions, until there are no more.
    private func settle(at now: Instant) {
        while !events.isEmpty {
            let taken = events
            events.removeAll(keepingCapacity: true)
            for event in taken {
                for action in recovery.handle(event, at: now) {
                    switch action {
                    case .notify(let notice): notices.append(notice)
                    case .perform(let step): perform(step)
                    }
                }
            }
        }
    }

    private func perform(_ step: Step) {
        do throws(SystemError) {
            switch step {
            case .openManagement:
                management = nil
                management = try .management()
                events.append(.outcome(.done([]), of: step))
            case .management(let command, let index): try management?.send(command.packet(index: index))
            case .openController(let channel, let index):
                controller = nil
                controller = try .controller(channel, index: index)
                events.append(.outcome(.done([]), of: step))
            case .closeController:
                controller = nil
                events.append(.outcome(.done([]), of: step))
            case .controller(let command): try controller?.send(command.packet)
            // Any response proves that the controller is alive.
            case .confirmScan: try controller?.send(ControllerCommand.readVersion.packet)
            case .readRfkill(let index):
                let isBlocked = Rfkill(folder: "/sys/class/bluetooth/hci\(index)")?.isBlocked ?? false
                events.append(.outcome(.done([isBlocked ? 1 : 0]), of: step))
            case .reset(let index): reset = try ControllerReset(index: index)
            }
        } catch {
            events.append(.outcome(.failed(error.code), of: step))
        }
    }
}
