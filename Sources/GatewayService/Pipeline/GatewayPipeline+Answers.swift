import Beacons
import Journal
import Messages
import Ranging

/// The answers to what anybody may ask of a gateway.
extension GatewayPipeline {
    mutating func answer(_ what: String, _ payload: [UInt8]) {
    }
}
