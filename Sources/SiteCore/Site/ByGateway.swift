/// Values by gateway, of the few gateways that receive one item.
///
/// An array that is searched: for a few gateways that is as fast as a dictionary, and takes a third of the memory.
struct ByGateway<Value: Sendable>: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    private var entries: [(key: String, value: Value)] = []

    init(dictionaryLiteral elements: (String, Value)...) {
        for (gateway, value) in elements { self[gateway] = value }
    }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    /// The values, in no particular order.
    var values: some Sequence<Value> { entries.lazy.map(\.value) }

    func makeIterator() -> some IteratorProtocol<(key: String, value: Value)> { entries.makeIterator() }

    private func place(of gateway: String) -> Int? { entries.firstIndex { $0.key == gateway } }

    subscript(gateway: String) -> Value? {
        get { place(of: gateway).map { entries[$0].value } }
        set {
            switch (place(of: gateway), newValue) {
            case (let place?, let value?): entries[place].value = value
            case (let place?, nil): entries.remove(at: place)
            case (nil, let value?):
                // An array that grows by itself has room for twice as many.
                entries.reserveCapacity(entries.count + 1)
                entries.append((gateway, value))
            case (nil, nil): break
            }
        }
    }

    /// Changes every value; `nil` takes the gateway out.
    mutating func change(_ body: (String, Value) -> Value?) {
        var stored = 0
        for index in entries.indices {
            guard let value = body(entries[index].key, entries[index].value) else { continue }
            (entries[stored].key, entries[stored].value) = (entries[index].key, value)
            stored += 1
        }
        entries.removeLast(entries.count - stored)
    }
}
