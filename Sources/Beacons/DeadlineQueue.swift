/// A queue of deadlines, at most one per slot, the earliest first.
///
/// It is an indexed heap with four branches: to move a deadline is O(log n), to read the earliest is O(1).
package struct DeadlineQueue: Sendable {
    package struct Entry: Sendable {
        package var at: Instant
        package var slot: Int
    }

    private var heap: [Entry] = []
    /// The position of each slot's entry in the heap; -1 if the slot has none.
    private var positions: [Int] = []

    package init() {}

    package var first: Entry? { heap.first }
    package var count: Int { heap.count }

    package subscript(slot: Int) -> Instant? {
        guard slot < positions.count, positions[slot] >= 0 else { return nil }
        return heap[positions[slot]].at
    }

    /// Sets the deadline of `slot`, and replaces a former one.
    package mutating func set(_ slot: Int, at: Instant) {
        while positions.count <= slot { positions.append(-1) }
        let position = positions[slot]
        guard position >= 0 else {
            heap.append(Entry(at: at, slot: slot))
            positions[slot] = heap.count - 1
            rise(from: heap.count - 1)
            return
        }
        let before = heap[position].at
        heap[position].at = at
        if at < before { rise(from: position) } else { sink(from: position) }
    }

    package mutating func remove(_ slot: Int) {
        guard slot < positions.count, positions[slot] >= 0 else { return }
        let position = positions[slot]
        positions[slot] = -1
        let last = heap.removeLast()
        guard position < heap.count else { return }
        heap[position] = last
        positions[last.slot] = position
        rise(from: position)
        sink(from: positions[last.slot])
    }

    private mutating func rise(from start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 4
            guard heap[position].at < heap[parent].at else { return }
            exchange(position, parent)
            position = parent
        }
    }

    private mutating func sink(from start: Int) {
        var position = start
        while true {
            var least = position
            let children = 4 * position + 1
            for child in children..<max(children, min(children + 4, heap.count)) where heap[child].at < heap[least].at {
                least = child
            }
            guard least != position else { return }
            exchange(position, least)
            position = least
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        positions[heap[one].slot] = one
        positions[heap[other].slot] = other
    }
}
