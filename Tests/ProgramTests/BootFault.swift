import Glibc
import TestBroker
import Testing

/// What may be wrong when a program starts, and comes right after a while.
enum BootFault: String, CaseIterable, CustomTestStringConvertible {
    case brokerDown = "the broker is down"
    case brokerSilent = "the broker takes connections and says nothing"
    case nameUnknown = "the broker's name cannot be resolved"
    case wrongPassword = "the password is wrong"
    case unknownUser = "the broker does not know the user"
    case noStateFolder = "the state folder cannot be made"
    case noAdapter = "there is no adapter"
    case clockBehind = "the clock is years behind"
    case certificateNotYetValid = "the broker's certificate is not yet valid"
    case wrongAuthority = "ca_file is another authority's"
    case keyUnreadable = "key_file cannot be read"

    var testDescription: String { rawValue }

    /// Whether it is one of TLS alone.
    var needsTLS: Bool {
        switch self {
        case .certificateNotYetValid, .wrongAuthority, .keyUnreadable: true
        default: false
        }
    }

    /// What a program reports of the fault on standard error; `nil` where it reports nothing, because the fault does not separate it from its broker.
    func complaint(withTLS: Bool) -> String? {
        switch self {
        case .brokerDown: "cannot reach the broker"
        case .brokerSilent: "accepts connections but does not respond"
        case .nameUnknown: "cannot find the broker"
        case .wrongPassword, .unknownUser: "rejects user"
        case .noStateFolder: "Not a directory"
        case .noAdapter: nil
        case .clockBehind: withTLS ? "is this host's clock right?" : nil
        case .certificateNotYetValid: "certificate is not yet valid"
        case .wrongAuthority: "ca_file is not the authority that signed it"
        case .keyUnreadable: "Permission denied"
        }
    }

    /// Whether the broker is reached though it lasts.
    func letsConnect(withTLS: Bool) -> Bool {
        self == .noStateFolder || complaint(withTLS: withTLS) == nil
    }

    /// What it needs that this machine does not have, in words; `nil` where it has everything.
    var hindrance: String? {
        switch self {
        case .nameUnknown where !Self.canHaveHostsOfItsOwn: "no mount namespaces here"
        case .clockBehind: SteeredKernel.hindrance
        case .keyUnreadable where geteuid() == 0 && !isProgramInstalled("setpriv"): "no setpriv here"
        default: nil
        }
    }

    private static let canHaveHostsOfItsOwn =
        (try? Child(unshare + ["true"]).waitForEnd()) == 0

    /// What goes before a program's own words.
    func prefix(in folder: TestFolder) -> [String] {
        switch self {
        case .nameUnknown:
            let script = """
                mount --bind "$1" /etc/hosts && { [ ! -e /etc/resolv.conf ] || mount --bind "$2" /etc/resolv.conf; } &&
                    shift 2 && exec "$@"
                """
            return Self.unshare + ["sh", "-c", script, "sh", folder.path("hosts"), folder.path("resolv.conf")]
        case .clockBehind:
            return SteeredKernel.prefix(clock: folder.path("clock"))
        case .keyUnreadable where geteuid() == 0:
            // Root reads everything, unless that is taken from it.
            let rights = "-dac_override,-dac_read_search"
            return ["setpriv", "--bounding-set=\(rights)", "--inh-caps=\(rights)"]
        default: return []
        }
    }

    private static let unshare = geteuid() == 0 ? ["unshare", "-m"] : ["unshare", "-U", "-r", "-m"]
}
