import Messages

/// What the broker and the gateways turn out to hold of the registry after a connect, in whatever order it comes in.
struct FoundRegistry: Sendable {
    /// As many strays as a registry has entries; what is beyond is left where it is.
    static let mostStrays = RegistryManifest.longestList

    /// The broker's manifest; of several, our own echo among them, the newest.
    private(set) var manifest: RegistryManifest?
    /// The highest revision that a gateway follows.
    private(set) var followed: UInt64 = 0
    /// The entries that are none of ours, unread.
    private(set) var strays: [Topic: [UInt8]] = [:]
    /// What is ours and was said otherwise, by somebody else or before our own word came back: as many as a registry has entries.
    private(set) var altered: Set<Topic> = []

    mutating func take(_ manifest: RegistryManifest) {
        if manifest.revision >= self.manifest?.revision ?? 0 { self.manifest = manifest }
    }

    /// One of our topics says what we wrote, or something else.
    mutating func note(_ topic: Topic, isOurs: Bool) {
        if isOurs { altered.remove(topic) } else { altered.insert(topic) }
    }

    mutating func follow(_ revision: UInt64) { followed = max(followed, revision) }

    mutating func take(stray topic: Topic, _ payload: [UInt8]) {
        if payload.isEmpty {
            strays[topic] = nil
        } else if strays.count < Self.mostStrays || strays[topic] != nil {
            strays[topic] = payload
        }
    }

    /// Those strays that the manifest names and that can be read.
    var items: [RegistryItem] {
        (manifest?.items ?? []).compactMap { id in
            let topic = Topic.registryItem(id)
            return strays[topic].flatMap { try? RegistryItem(parsing: $0, on: topic) }
        }
    }

    var regions: [RegistryRegion] {
        (manifest?.regions ?? []).compactMap { id in
            let topic = Topic.registryRegion(id)
            return strays[topic].flatMap { try? RegistryRegion(parsing: $0, on: topic) }
        }
    }
}
