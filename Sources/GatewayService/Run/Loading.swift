import Broker
import Linux
import Settings

/// The gateway's configuration at `path`; what is wrong with it is told line by line.
public func loadConfiguration(at path: String) throws(Failure) -> GatewayConfiguration {
    do throws(SettingsError) {
        return try readGatewayConfiguration(at: path)
    } catch {
        throw Failure(error)
    }
}

/// Says everything that is wrong with the configuration at `path`, one line each, on standard output.
public func checkConfiguration(at path: String) throws(Failure) -> ExitStatus {
    do throws(SettingsError) {
        _ = try readGatewayConfiguration(at: path)
        return .right
    } catch {
        return try error.toldByCheck()
    }
}
