import Beacons
import Broker
import BrokerSetup
import Glibc
import Linux
import Messages
import Settings
import SiteClient
import Text

/// A site whose broker is locked on this machine, so that keys of phones may be published for its gateways: `forgetmenot phones`.
package struct PhoneSite {
    private let settings: BrokerSettings

    /// Makes sure that only gateways can read the keys.
    ///
    /// - Parameters:
    ///   - folder: the folder of `broker-setup`.
    ///   - path: the aggregator's configuration.
    package init(folder: String, aggregatorFile path: String) throws(Failure) {
        settings = try usable(try readBrokerSettings(at: path))
        guard isOwnBroker(folder), try isBroker(of: folder, reachedBy: settings) else {
            throw Failure(
                .noInput,
                "keys of phones go only to a broker that `forgetmenot setup` has locked: run this with sudo on the broker's machine, "
                    + "or write the keys into identity.keys of each gateway")
        }
        // Files of an earlier release give no rights to the topics of phones.
        var broker = try writeBroker(BrokerSetupWords(folder: folder, aggregatorFile: nil))
        guard !broker.site.crossesNetworkUnencrypted else {
            throw Failure(
                .no,
                "keys of phones would cross the network unencrypted: run `sudo forgetmenot broker-setup --tls`, and do what it prints"
            )
        }
        if broker.hasChanged || broker.isLinked && isSystemdRunning {
            try load(&broker, so: "only gateways can read the keys")
        }
    }

    private func exchange(
        _ change: (Phones) throws(Failure) -> [Message], isDone: (Phones) -> Bool = { _ in true }
    ) throws(Failure) -> Phones {
        let list = try exchangePhones(with: settings, provesLock: true) { list throws(Failure) in
            // The removal of nothing: the aggregator publishes its list, and from then on gateways may hand over keys.
            guard let list else { return [Message(.removePhone, Phones())] }
            return try change(list)
        } isDone: {
            isDone($0)
        }
        return list ?? Phones()
    }

    /// The phones of the site.
    package func list() throws(Failure) -> [Phone] { try exchange { _ in [] }.phones }

    /// Adds a phone, or renames the one with this key.
    package func add(_ phone: Phone) throws(Failure) {
        _ = try exchange { list throws(Failure) in
            if let refusal = list.refusal(of: phone) { throw Failure(.no, refusal) }
            return list.has(phone) ? [] : [Message(.addPhone, Phones([phone]))]
        } isDone: {
            $0.has(phone)
        }
    }

    /// Removes the phone of this name.
    package func remove(_ name: String) throws(Failure) {
        var phone: Phone?
        _ = try exchange { list throws(Failure) in
            phone = list.phones.first { $0.name == name }
            guard let phone else {
                throw Failure(
                    .noInput, "there is no phone \"\(printable(name))\": forgetmenot phones list shows all phones")
            }
            return [Message(.removePhone, Phones([phone]))]
        } isDone: { list in
            phone.map { !list.has($0) } ?? false
        }
    }
}

/// The key of a phone: asked for at a terminal, which does not show it, or the first word of standard input.
package func readPhoneKey() throws(Failure) -> IdentityKey {
    let text =
        if isatty(STDIN_FILENO) == 1, let terminal = Terminal() {
            terminal.askSecret("The phone's identity resolving key") ?? ""
        } else {
            String(decoding: try standardInput(), as: UTF8.self)
        }
    guard let word = text.split(whereSeparator: \.isWhitespace).first, let key = IdentityKey(word) else {
        throw Failure(.noInput, "that is no key: write 32 hexadecimal digits or 24 characters of Base64")
    }
    return key
}
