/// Who is next: a binary heap of the times at which each of a fixed number of transmitters sends again, ties to the lower index.
struct Agenda: Sendable {
    private struct Entry {
        var time: Int64
        var index: Int

        func precedes(_ other: Entry) -> Bool { time != other.time ? time < other.time : index < other.index }
    }

    private var heap: [Entry] = []

    init(_ times: [HouseTime]) {
        heap = times.enumerated().map { Entry(time: $1.nanoseconds, index: $0) }
        heap.sort { $0.precedes($1) }
    }

    /// The earliest of all; `nil` where there is nobody.
    var next: (index: Int, time: HouseTime)? {
        heap.first.map { ($0.index, HouseTime(nanoseconds: $0.time)) }
    }

    /// Puts off the one that is next to `time`, which may not be earlier.
    mutating func putOff(to time: HouseTime) {
        let entry = Entry(time: time.nanoseconds, index: heap[0].index)
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(entry) else { break }
            heap[hole] = heap[child]
            hole = child
        }
        heap[hole] = entry
    }
}
