import Beacons
import Glibc
import HCI
import Linux

/// The sockets to one adapter. The connection performs the steps of `Recovery` and passes the results back.
final class AdapterConnection {
    private(set) var recovery: Recovery
    private var management: PacketSocket?
    private var controller: PacketSocket?
    private var reset: ControllerReset?
    private let buffer = PacketBuffer()
    private var notices: [RadioNotice] = []
    private var events: [Recovery.Event] = []
    /// Decodes the advertisements in the controller's events.
    private var decoder = AdvertisementDecoder()

    init(_ recovery: Recovery) {
        self.recovery = recovery
    }

    var descriptors: [Int32] {
        var numbers: [Int32] = []
        if let management { numbers.append(management.number) }
        if let controller { numbers.append(controller.number) }
        if let reset { numbers.append(reset.number) }
        return numbers
    }

    var refusedReports: ScanCounters { decoder.counters }
    var nextDeadline: Instant? { notices.isEmpty ? recovery.nextDeadline : .zero }

    func advance(to now: Instant, receive: (Advertisement, RawSpan) -> Void) -> [RadioNotice] {
        readManagement(at: now, receive)
        readController(at: now, receive)
        if let reset, let outcome = reset.outcome {
            self.reset = nil
            events.append(.outcome(outcome, of: .reset(index: reset.index)))
        }
        events.append(.due)
        settle(at: now)
        defer { notices = [] }
        return notices
    }

    /// Passes an event that did not come from a socket to the state machine.
    func report(_ event: Recovery.Event, at now: Instant) {
        events.append(event)
        settle(at: now)
    }

    /// Ends the duty and restores the adapter's previous state; this blocks for 3 s at most.
    func stop() {
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
                        wasReceived = true
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
                    wasReceived = true
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
