/// The items' records by id. A record has a place while its item is there, at which the record is read and changed without a copy.
struct ItemTable: Sendable {
    private var places: [String: Int] = [:]
    private var slots: [ItemRecord] = []
    /// Places without a record.
    private var free: [Int] = []

    var count: Int { places.count }
    /// The ids, in no particular order.
    var keys: Dictionary<String, Int>.Keys { places.keys }
    /// The records, in no particular order.
    var values: some Sequence<ItemRecord> { places.values.lazy.map { slots[$0] } }

    /// Where the record of an item is; `nil` if there is none.
    func place(of id: String) -> Int? { places[id] }

    subscript(place: Int) -> ItemRecord {
        _read { yield slots[place] }
        _modify { yield &slots[place] }
    }

    /// The record of an item; reading it makes a copy.
    subscript(id: String) -> ItemRecord? {
        get { places[id].map { slots[$0] } }
        _modify {
            let place = places[id]
            var record = place.map { borrow(from: $0) }
            defer { put(record, of: id, to: place) }
            yield &record
        }
    }

    /// Borrows the record of a place for a while: it is changed without a copy, and has to be put back.
    mutating func borrow(from place: Int) -> ItemRecord {
        var record = ItemRecord.hollow
        swap(&record, &slots[place])
        return record
    }

    mutating func put(_ record: consuming ItemRecord, to place: Int) {
        record.forgetEstimate()
        slots[place] = record
    }

    private mutating func put(_ record: ItemRecord?, of id: String, to place: Int?) {
        switch (record, place) {
        case (let record?, let place?): put(record, to: place)
        case (let record?, nil):
            if let place = free.popLast() {
                slots[place] = record
                places[id] = place
            } else {
                // An array that grows by itself has room for twice as many, and records are large.
                if slots.count == slots.capacity { slots.reserveCapacity(slots.count + slots.count / 8 + 8) }
                slots.append(record)
                places[id] = slots.count - 1
            }
        case (nil, let place?):
            places[id] = nil
            free.append(place)
        case (nil, nil): break
        }
    }
}

/// An optional value in a memory block of its own; `nil` takes no memory. It is moved to be changed, so it should be small, or change rarely.
@propertyWrapper
struct IndirectOptional<Value: Sendable>: Sendable {
    private var storage: [Value]

    init(wrappedValue: Value?) { storage = wrappedValue.map { [$0] } ?? [] }

    var wrappedValue: Value? {
        get { storage.first }
        _modify {
            var value = storage.popLast()
            defer {
                if let value { storage.append(value) } else { storage = [] }
            }
            yield &value
        }
    }
}

/// A value in a memory block of its own, which keeps the type around it small. It is changed in place.
@propertyWrapper
struct Indirect<Value: Sendable>: Sendable {
    private var storage: [Value]

    init(wrappedValue: Value) { storage = [wrappedValue] }

    var wrappedValue: Value {
        _read { yield storage[0] }
        _modify { yield &storage[0] }
    }
}
