/// Whether the adapter can hear, in Core Bluetooth's words; the raw values are those of `info`.
public enum RadioState: String, Sendable {
    /// Not known yet, or mute.
    case unknown
    /// Reset by us or by somebody else; it will be back.
    case resetting
    /// There is no adapter, or it cannot do Low Energy.
    case unsupported
    /// The program may not use it.
    case unauthorized
    /// It is there, and off (or blocked by rfkill).
    case poweredOff = "powered_off"
    /// It is on, and scanning: what is silent now is silent.
    case poweredOn = "powered_on"
}
