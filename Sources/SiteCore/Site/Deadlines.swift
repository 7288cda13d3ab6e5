import Beacons

/// The deadlines of many keys, one for each key. A change costs the logarithm of their number; a key that is not due costs nothing.
///
/// A binary heap with lazy deletion. A deadline that moves away leaves its entry where it is: the entry is looked at when its time
/// comes, and moves on to the deadline of then. So a deadline that moves away again and again costs one entry.
struct Deadlines: Sendable {
    private struct Entry: Sendable {
        var at: Instant
        var key: String
    }

    private struct Place: Sendable {
        /// When the key is due.
        var requested: Instant
        /// When its entry in the heap is looked at: never later.
        var entry: Instant
    }

    private var heap: [Entry] = []
    private var places: [String: Place] = [:]

    var count: Int { places.count }
    /// The number of entries, those included that are of no use any more: below twice the number of keys and 64 more.
    var entries: Int { heap.count }

    /// Makes a key due at an instant, and at no other.
    mutating func set(_ key: String, at instant: Instant) {
        if let place = places[key], place.entry <= instant {
            places[key]?.requested = instant
            return
        }
        places[key] = Place(requested: instant, entry: instant)
        push(Entry(at: instant, key: key))
        compactIfDue()
    }

    mutating func remove(_ key: String) { places[key] = nil }

    /// The key that has been due for the longest time, which has no deadline any more then; `nil` if none is due.
    mutating func takeDue(at now: Instant) -> String? {
        while let first = heap.first, first.at <= now {
            let entry = pop()
            guard let place = places[entry.key], place.entry == entry.at else { continue }
            guard place.requested > now else {
                places[entry.key] = nil
                return entry.key
            }
            places[entry.key]?.entry = place.requested
            push(Entry(at: place.requested, key: entry.key))
        }
        return nil
    }

    private mutating func compactIfDue() {
        guard heap.count > 2 * places.count + 64 else { return }
        // A heap in which nothing is out of place: it is sorted.
        heap = places.map { Entry(at: $0.value.requested, key: $0.key) }.sorted { ($0.at, $0.key) < ($1.at, $1.key) }
        for entry in heap { places[entry.key]?.entry = entry.at }
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].at < heap[parent].at else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func pop() -> Entry {
        heap.swapAt(0, heap.count - 1)
        let entry = heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            let left = 2 * parent + 1
            if left < heap.count, heap[left].at < heap[least].at { least = left }
            if left + 1 < heap.count, heap[left + 1].at < heap[least].at { least = left + 1 }
            guard least != parent else { return entry }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
