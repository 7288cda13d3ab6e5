import Beacons
import Broker
import Linux
import Mosquitto
import SiteCore

/// The second connection of an aggregator that is one of several: `AggregatorDriver` decides when there is one.
extension AggregatorRun {
    /// The connection for publications: the seat, or the only connection of a single aggregator.
    var publisher: BrokerConnection { seat ?? connection }

    /// Connects with the client id that several aggregators share.
    mutating func claimSeat() {
        do throws(Failure) {
            let seat = try makeConnection(configuration.seatOptions)
            try seat.begin()
            self.seat = seat
        } catch {
            // The seat is claimed again after a while.
            logger.error("\(error)")
        }
    }

    /// Ends that connection.
    mutating func releaseSeat() {
        seat?.stop(within: .zero)
        seat = nil
    }
}
