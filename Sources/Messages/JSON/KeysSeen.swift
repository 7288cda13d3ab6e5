/// The keys of one object so far. The search for a duplicate does not compare each key with every other key.
struct KeysSeen {
    /// One bit per combination of length and first byte: if the bit is clear, the key is new.
    private var kinds: UInt64 = 0
    /// The keys as a set, filled when an object has too many members for a linear search.
    private var many: Set<String> = []

    /// Inserts `key` and returns whether it is new. `members` hold all keys that were inserted before.
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
