import GatewayCore
import BlueZ

extension BlueZOptions {
    /// The options of an adapter, from `[radio]`.
    init(_ adapter: AdapterName, _ settings: RadioSettings) {
        self.init(
            adapter: adapter, interface: settings.interface, scanInterval: settings.scanInterval,
            scanWindow: settings.scanWindow)
    }
}
