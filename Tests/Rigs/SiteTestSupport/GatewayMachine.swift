import Beacons
import EventLogs
import GatewayCore
import Messages

/// A machine with the real gateway on it: its driver, its disk, and a connection that takes everything while it is not full.
package struct GatewayMachine: Sendable {
    /// What the gateway wants of the world around the machine.
    package enum Output: Sendable {
        /// A message with its number; an event, perhaps.
        case publish(OutgoingMessage, number: UInt64, event: Place?)
        case proveRadio
        case log(String)
    }

    package var driver: GatewayDriver
    package var disk: VirtualDisk
    /// Whether the connection takes nothing at present.
    package var isFull = false
    /// Counts the publications.
    package private(set) var publications: UInt64

    /// A machine on which the gateway was just started.
    ///
    /// - Parameter publications: those of former processes.
    package init(_ driver: GatewayDriver, disk: VirtualDisk, publications: UInt64 = 0) {
        (self.driver, self.disk, self.publications) = (driver, disk, publications)
    }

    /// Hands an input to the driver; what follows comes with `run`.
    package mutating func handle(_ input: GatewayDriver.Input, at moment: Moment) {
        driver.handle(input, at: moment, machineTime: moment.instant)
    }

    /// Carries out what was decided, as the service does, and hands over what concerns the world around the machine.
    package mutating func run(at moment: Moment, _ take: (Output, inout GatewayMachine) -> Void) {
        while let action = driver.nextAction(machineTime: moment.instant) {
            switch action {
            case .write(let step): handle(.wrote(disk.perform(step)), at: moment)
            case .read(let reading): driver.read(reading, by: disk.read)
            case .publish where isFull: handle(.published(nil), at: moment)
            case .publish(let message, let event):
                publications += 1
                handle(.published(publications), at: moment)
                take(.publish(message, number: publications, event: event), &self)
            case .replace(let file, let bytes):
                handle(.replaced(file, problem: disk.replace(file.rawValue, with: bytes)), at: moment)
            case .proveRadio, .restartRadio: take(.proveRadio, &self)
            case .log(_, let line): take(.log(line), &self)
            // Nothing is measured, every line is logged, and the broker sends everything.
            case .measure, .setLogLevel, .fetch: break
            }
        }
    }
}
