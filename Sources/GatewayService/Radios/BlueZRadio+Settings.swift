import BlueZ

extension BlueZOptions {
    /// What `[radio]` says of an adapter.
    init(_ adapter: RadioSource.Adapter, _ settings: RadioSettings) {
        self.init()
        switch adapter {
        case .name(let name): self.adapter = AdapterName(name) ?? self.adapter
        case .address(let address): self.adapter = .address(address)
        }
        interface = Interface(rawValue: settings.interface.rawValue) ?? .auto
        scanInterval = settings.scanInterval
        scanWindow = settings.scanWindow
    }
}
