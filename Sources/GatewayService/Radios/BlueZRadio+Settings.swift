import BlueZ

extension BlueZOptions {
    /// What `[radio]` says of an adapter.
    init(_ adapter: AdapterName, _ settings: RadioSettings) {
        self.init(
            adapter: adapter, interface: settings.interface, scanInterval: settings.scanInterval,
            scanWindow: settings.scanWindow)
    }
}
