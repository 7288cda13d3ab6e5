import GatewayCore
import Beacons
import BlueZ
import HCI
import Linux

func makeRadio(_ configuration: GatewayConfiguration, at start: Moment) throws(Failure) -> any Radio {
    let settings = configuration.radio
    switch settings.source {
    case .capture(let path):
        // Played fast it is the driver that jumps through time; the player keeps the recording's pace.
        let player = CapturePlayer.Settings(
            speed: .recorded, gapLimit: settings.gapLimit, startAt: settings.startAt, atEnd: settings.atEnd)
        return try CaptureRadio(path: path, settings: player, at: start.instant)
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
