import ArgumentParser
import GatewayService
import Linux

/// Where the configuration is: every command takes it.
struct ConfigurationOption: ParsableArguments {
    @Option(name: .customLong("config"), help: "The configuration file. (default: \(standardConfigurationPath))")
    var given: String?

    /// The file, which has to be there.
    var path: String { given ?? standardConfigurationPath }

    /// For commands that need an adapter alone: where no file was named and none is installed, every default.
    func ifAny(with adapter: AdapterOption = AdapterOption()) throws(Failure) -> GatewayConfiguration {
        try loadConfigurationIfAny(at: given, adapter: adapter.name)
    }
}

/// Which adapter, whatever the configuration says.
struct AdapterOption: ParsableArguments {
    @Option(
        name: .customLong("adapter"),
        help: "hci0, or an adapter's address. (default: what the configuration listens with)")
    var name: String?
}
