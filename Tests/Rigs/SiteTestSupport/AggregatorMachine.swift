import Beacons
import Channels
import EventLogs
import Messages
import SiteCore

/// A machine with the real aggregator on it: its driver, its disk, and connections that take everything while they are not full.
package struct AggregatorMachine: Sendable {
    /// What the aggregator wants of the world around the machine.
    package enum Output: Sendable {
        /// A message of the connection that publishes, with its number; an event, perhaps.
        case publish(OutgoingMessage, number: UInt64, event: Place?)
        case publishOnOwnConnection(OutgoingMessage)
        case claimSeat
        case releaseSeat
        case deliver(Channels.Delivery)
        case log(String)
    }

    package var driver: AggregatorDriver
    package var disk: TestDisk
    /// Whether the connection that publishes takes nothing at present.
    package var isFull = false
    /// Counts the publications.
    package private(set) var publications: UInt64

    /// A machine on which the aggregator was just started.
    ///
    /// - Parameter publications: those of former processes.
    package init(_ driver: AggregatorDriver, disk: TestDisk, publications: UInt64 = 0) {
        (self.driver, self.disk, self.publications) = (driver, disk, publications)
    }

    /// Carries out what was decided, as the service does, and hands over what concerns the world around the machine.
    package mutating func run(at moment: Moment, _ take: (Output, inout AggregatorMachine) -> Void) {
        while let action = driver.nextAction(at: moment.instant) {
            switch action {
            case .site(.read(let reading)): driver.read(reading, by: disk.read)
            case .site(.publish) where isFull: driver.handle(.published(nil), at: moment)
            case .site(.publish(let message, let event)):
                publications += 1
                driver.handle(.published(publications), at: moment)
                take(.publish(message, number: publications, event: event), &self)
            case .site(.deliver(let delivery)): take(.deliver(delivery), &self)
            case .site(.log(_, let line)): take(.log(line), &self)
            // Nobody learns, and nobody runs a program.
            case .site(let action): _ = disk.carryOut(action, for: &driver.site, at: moment)
            case .publishOnOwnConnection(let message): take(.publishOnOwnConnection(message), &self)
            case .claimSeat: take(.claimSeat, &self)
            case .releaseSeat: take(.releaseSeat, &self)
            }
        }
    }
}
