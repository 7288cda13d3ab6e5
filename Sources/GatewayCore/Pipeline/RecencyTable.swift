/// A dictionary of at most `capacity` entries. If it is full, a new entry replaces the one that was touched longest ago.
///
/// The cost of an operation does not depend on the number of entries, so that a flood of random identities costs no more than a quiet
/// house.
package struct RecencyTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node: Sendable {
        var key: Key
        var value: Value
        var newer: Int32
        var older: Int32
    }

    private let capacity: Int
    private var nodes: [Node] = []
    private var places: [Key: Int32] = [:]
    private var newest: Int32 = -1
    private var oldest: Int32 = -1

    package init(capacity: Int) {
        precondition(capacity > 0)
        self.capacity = capacity
    }

    package var count: Int { nodes.count }

    /// Every entry, in no particular order.
    package var entries: some Sequence<(key: Key, value: Value)> { nodes.lazy.map { ($0.key, $0.value) } }

    /// The value of `key`, without making the entry more recent.
    package subscript(key: Key) -> Value? { places[key].map { nodes[Int($0)].value } }

    /// Lets `change` alter the value of `key`, which begins as `initial`, and makes it the most recent.
    package mutating func touch(_ key: Key, default initial: @autoclosure () -> Value, _ change: (inout Value) -> Void)
    {
        let place = places[key] ?? insert(key, initial())
        makeNewest(place)
        change(&nodes[Int(place)].value)
    }

    /// Lets `change` alter the value of `key` if there is one, without making the entry more recent.
    package mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard let place = places[key] else { return }
        change(&nodes[Int(place)].value)
    }

    private mutating func insert(_ key: Key, _ value: Value) -> Int32 {
        guard nodes.count == capacity else {
            nodes.append(Node(key: key, value: value, newer: -1, older: -1))
            places[key] = Int32(nodes.count - 1)
            return Int32(nodes.count - 1)
        }
        let place = oldest
        unlink(place)
        places[nodes[Int(place)].key] = nil
        nodes[Int(place)] = Node(key: key, value: value, newer: -1, older: -1)
        places[key] = place
        return place
    }

    private mutating func makeNewest(_ place: Int32) {
        guard newest != place else { return }
        unlink(place)
        nodes[Int(place)].older = newest
        nodes[Int(place)].newer = -1
        if newest >= 0 { nodes[Int(newest)].newer = place }
        newest = place
        if oldest < 0 { oldest = place }
    }

    private mutating func unlink(_ place: Int32) {
        let node = nodes[Int(place)]
        if node.newer >= 0 { nodes[Int(node.newer)].older = node.older } else if newest == place { newest = node.older }
        if node.older >= 0 { nodes[Int(node.older)].newer = node.newer } else if oldest == place { oldest = node.newer }
    }
}
