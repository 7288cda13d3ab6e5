import GatewayCore
import Beacons
import BlueZ
import Linux

/// Makes the radio of the configuration.
func makeRadio(_ configuration: GatewayConfiguration, at start: Moment) throws(Failure) -> any Radio {
    let settings = configuration.radio
    switch settings.source {
    case .capture(let path):
        return try CaptureRadio(path: path, settings: settings.player, at: start.instant)
    case .simulation:
        return SimulationRadio(
            seed: settings.seed, gateway: configuration.id, room: configuration.room, startAt: settings.startAt,
            at: start)
    case .bluez(let adapter):
        return BlueZRadio(
            BlueZOptions(
                adapter: adapter, interface: settings.interface, scanInterval: settings.scanInterval,
                scanWindow: settings.scanWindow))
    }
}
