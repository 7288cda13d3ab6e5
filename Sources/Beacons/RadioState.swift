/// Whether the adapter can receive, in Core Bluetooth's terms. The raw values are those of `info`.
public enum RadioState: String, Sendable {
    /// Not known yet, or the adapter does not respond.
    case unknown
    /// The adapter is being reset, by this program or by another, and will return.
    case resetting
    /// There is no adapter, or the adapter does not support Low Energy.
    case unsupported
    /// The program has no permission to use the adapter.
    case unauthorized
    /// The adapter exists, but it is switched off or blocked by rfkill.
    case poweredOff = "powered_off"
    /// The adapter is on and scanning: a silent beacon is really silent.
    case poweredOn = "powered_on"
}
