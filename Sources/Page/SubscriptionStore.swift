import Channels
import Glibc
import Linux
import Messages
import Synchronization

/// The push subscriptions that browsers have given: a file of the state folder, and beside it the site's key. Neither is on the broker.
final class SubscriptionStore: Sendable {
    private let folder: StateFolder
    private let services: [String]
    private let files = Mutex(())

    /// - Parameter services: the push services that subscriptions may name.
    init(_ folder: StateFolder, at services: [String]) { (self.folder, self.services) = (folder, services) }

    /// The public key of the site, which is made at its first use.
    func publicKey() throws(Refused) -> [UInt8] {
        try files.withLock { (_) throws(Refused) in
            let file = folder.file(PushSubscriptions.keyFile)
            do throws(SystemError) {
                guard access(credential(standingFor: file), F_OK) != 0 else {
                    guard let text = try? readSecrets(at: file), let key = PrivateKey(text.filter { !$0.isNewline })
                    else {
                        throw SystemError(
                            "read \(file)", code: EINVAL, because: "delete it, and subscribe all browsers again")
                    }
                    return key.publicKey
                }
                var random = SystemRandomNumberGenerator()
                let key = PrivateKey(using: &random)
                try folder.replace(PushSubscriptions.keyFile, with: Array("\(key.text)\n".utf8))
                return key.publicKey
            } catch {
                throw Refused(.serviceUnavailable, "The key for push services cannot be used: \(error).")
            }
        }
    }

    func subscriptions(of person: String) throws(Refused) -> [PushSubscription] {
        try files.withLock { (_) throws(Refused) in try stored().filter { $0.person == person } }
    }

    /// Stores a subscription, in place of an earlier one of the same browser.
    func add(_ subscription: PushSubscription) throws(Refused) {
        guard subscription.isAt(services) else {
            throw Refused(
                .badRequest, "The push service of this browser is none of page.push_services: add its host there.")
        }
        _ = try change { (all) throws(Refused) in
            all.removeAll { ($0.person, $0.id) == (subscription.person, subscription.id) }
            guard all.count(where: { $0.person == subscription.person }) < PushSubscription.most else {
                throw Refused(
                    .conflict, "\(PushSubscription.most) browsers get messages to this person already: remove one.")
            }
            all.append(subscription)
        }
    }

    /// Removes the subscriptions for messages to a person, or one of them; returns whether there was any.
    @discardableResult
    func remove(_ id: String? = nil, of person: String) throws(Refused) -> Bool {
        try change { (all) throws(Refused) in
            all.removeAll { $0.person == person && (id == nil || $0.id == id) }
        }
    }

    /// Changes what is stored, and has the aggregator read it, as after `systemctl reload`; returns whether anything changed.
    private func change(_ body: (inout [PushSubscription]) throws(Refused) -> Void) throws(Refused) -> Bool {
        let hasChanged = try files.withLock { (_) throws(Refused) in
            let former = try stored()
            var all = former
            try body(&all)
            guard all != former else { return false }
            var json = JSONWriter()
            PushSubscriptions(all).write(to: &json)
            do throws(SystemError) { try folder.replace(PushSubscriptions.file, with: json.bytes) } catch {
                throw Refused(.serviceUnavailable, "The subscription cannot be stored: \(error).")
            }
            return true
        }
        if hasChanged { kill(getpid(), SIGHUP) }
        return hasChanged
    }

    private func stored() throws(Refused) -> [PushSubscription] {
        let file = folder.file(PushSubscriptions.file)
        do {
            return try PushSubscriptions(parsing: try readFile(at: file, limit: 1 << 20)).all
        } catch {
            if let error = error as? SystemError, [ENOENT, ENOTDIR].contains(error.code) { return [] }
            throw Refused(.serviceUnavailable, "\(file) cannot be read: \(error).")
        }
    }
}
