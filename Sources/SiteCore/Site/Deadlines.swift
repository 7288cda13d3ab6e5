import Beacons

/// The deadlines of many keys, one for each key. A change costs the logarithm of their number; a key that is not due costs nothing.
struct Deadlines: Sendable {
    private var queue = DeadlineQueue()
    private var slots: [String: Int] = [:]
    /// The key of each slot of the queue.
    private var keys: [String] = []
    private var free: [Int] = []

    var count: Int { slots.count }
    /// How many places are taken, for tests of what a change costs.
    var places: Int { max(queue.count, keys.count) }

    /// Makes a key due at an instant, and at no other.
    mutating func set(_ key: String, at instant: Instant) {
        if let slot = slots[key] { return queue.set(slot, at: instant) }
        let slot = free.popLast() ?? keys.count
        if slot == keys.count { keys.append(key) } else { keys[slot] = key }
        slots[key] = slot
        queue.set(slot, at: instant)
    }

    mutating func remove(_ key: String) {
        guard let slot = slots.removeValue(forKey: key) else { return }
        queue.remove(slot)
        free.append(slot)
    }

    /// The key that has been due for the longest time, which has no deadline any more then; `nil` if none is due.
    mutating func takeDue(at now: Instant) -> String? {
        guard let first = queue.first, first.at <= now else { return nil }
        remove(keys[first.slot])
        return keys[first.slot]
    }
}
