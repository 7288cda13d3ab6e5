/// The keys of one object so far. Finds a second one without comparing each with each, however many there are.
struct KeysSeen {
    /// One bit per kind of key, by its length and first byte: a new kind is a new key.
    private var kinds: UInt64 = 0
    /// Filled once there are more members than one looks through.
    private var many: Set<String> = []

    /// Whether `key` was not among the keys of `members`, which hold all that were inserted before.
    mutating func insert(_ key: String, after members: [JSONObject.Member]) -> Bool {
        guard members.count < 32 else {
            if many.isEmpty { many = Set(members.lazy.map(\.key)) }
            return many.insert(key).inserted
        }
        let mix = key.utf8.count &* 7 &+ Int(key.utf8.first ?? 0) &* 5
        let kind: UInt64 = 1 << UInt64(truncatingIfNeeded: mix & 63)
        guard kinds & kind != 0 else {
            kinds |= kind
            return true
        }
        return !members.contains { $0.key == key }
    }
}
