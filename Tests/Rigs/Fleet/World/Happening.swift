import Beacons

/// Something that is to happen at some time of a run.
enum Happening: Sendable {
    /// A fault of the scenario, by index.
    case begins(Int)
    case ends(Int)
    /// A process is started: a gateway, or behind the last of them the aggregator.
    case starts(client: Int)
    /// The radio of a gateway reports something, if that process still runs.
    case radio(gateway: Int, process: Int, RadioNotice)
    /// A client tries to reach the broker, on its connection `epoch`.
    case dials(client: Int, epoch: Int)
    /// The broker lets it in.
    case isLetIn(client: Int, epoch: Int)
    /// A packet reaches the broker, or a client.
    case atBroker(client: Int, epoch: Int, Packet)
    case atClient(client: Int, epoch: Int, Packet)
    /// The broker's response to a publication reaches the client, or an acknowledgement the broker.
    case responded(client: Int, epoch: Int, publication: UInt64, isRefused: Bool)
    case confirmed(client: Int, epoch: Int, number: UInt64)
    /// One end finds out that the other is gone.
    case clientNotices(client: Int, epoch: Int)
    case brokerNotices(client: Int, epoch: Int)
    /// The broker writes what it has to its disk.
    case brokerSaves
    /// A reader asks a gateway, or the aggregator, for events of a process that is over.
    case asks(client: Int)
    /// A will is to be published, unless its client came back.
    case willIsDue(client: Int, epoch: Int)

    /// The client whose connection reports it to the process; `nil`: it is nothing of that kind.
    var recipient: Int? {
        switch self {
        case .isLetIn(let client, _), .atClient(let client, _, _), .responded(let client, _, _, _),
            .clientNotices(let client, _):
            client
        default: nil
        }
    }
}

/// What is to happen, the earliest first; what is to happen at once in the order in which it was put in.
struct Agenda: Sendable {
    private struct Entry {
        var at: Instant
        var order: UInt64
        var happening: Happening

        func precedes(_ other: Entry) -> Bool { at != other.at ? at < other.at : order < other.order }
    }

    private var heap: [Entry] = []
    private var order: UInt64 = 0

    var next: Instant? { heap.first?.at }

    mutating func add(_ happening: Happening, at time: Instant) {
        order += 1
        heap.append(Entry(at: time, order: order, happening: happening))
        var place = heap.count - 1
        while place > 0, heap[place].precedes(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// The next one that is due by `now`.
    mutating func take(dueBy now: Instant) -> Happening? {
        guard let first = heap.first, first.at <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first.happening
    }

    private mutating func sink() {
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            guard least != place else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
