import Broker
import Linux
import Mosquitto

/// Discovery that is switched off, or stands elsewhere now, is taken back: once, since Home Assistant warns of a second time. For that it is
/// kept on disk where it was told: the broker's rules let a gateway write that topic, and not read it.
extension GatewayRun {
    private static let file = "home-assistant"

    /// Takes back what was told before and is told no longer, and remembers what will be.
    mutating func takeBackDiscovery() {
        let told = (try? readFile(at: folder.file(Self.file), limit: 1024)).map { String(decoding: $0, as: UTF8.self) }
        guard told ?? "" != pipeline.discoveryTopic ?? "" else { return }
        if let told, !told.isEmpty {
            takingBack = connection.publish(Publication(topic: told, payload: [], qos: .atLeastOnce, retain: true))
        } else {
            keepDiscovery()
        }
    }

    /// Remembers on disk where discovery is told, if anywhere.
    mutating func keepDiscovery() {
        takingBack = nil
        do throws(SystemError) {
            try folder.replace(Self.file, with: Array((pipeline.discoveryTopic ?? "").utf8))
        } catch {
            logger.warning("\(error): discovery that is switched off later will have to be cleared by hand")
        }
    }
}
