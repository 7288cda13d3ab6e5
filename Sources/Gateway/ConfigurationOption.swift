import GatewayCore
import ArgumentParser
import GatewayService
import Linux

struct ConfigurationOption: ParsableArguments {
    @Option(name: .customLong("config"), help: "The configuration file. (default: \(standardConfigurationPath))")
    var given: String?

    /// The configuration file, which has to exist.
    var path: String { given ?? standardConfigurationPath }

    /// The configuration for commands that need only an adapter. If no file is named and none is installed, it has all defaults.
    func ifAny(with adapter: AdapterOption = AdapterOption()) throws(Failure) -> GatewayConfiguration {
        try loadConfigurationIfAny(at: given, adapter: adapter.name)
    }
}

/// The option that names the adapter, instead of the configuration.
struct AdapterOption: ParsableArguments {
    @Option(
        name: .customLong("adapter"),
        help: "The adapter: hci0, or its address. (default: radio.source)")
    var name: String?
}
