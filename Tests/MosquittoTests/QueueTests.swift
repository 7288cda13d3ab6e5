import Beacons
import Testing

@testable import Mosquitto

@Suite struct QueueTests {
    @Test func `a queue returns its elements in order with any sequence of calls`() {
        var queue = Queue<Int>()
        var next = 0
        var expected = 0
        for round in 0..<500 {
            for _ in 0..<(round * 7 % 13) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<min(queue.count, round * 5 % 11) {
                #expect(queue.first == expected)
                #expect(queue.removeFirst() == expected)
                expected += 1
            }
            #expect(queue.count == next - expected)
        }
        queue.removeAll()
        #expect(queue.isEmpty && queue.first == nil)
    }

    @Test func `the window has room for twenty entries, or for the broker's limit`() {
        #expect(Window(receiveMaximum: nil).room == 20)
        #expect(Window(receiveMaximum: 65535).room == 20)
        #expect(Window(receiveMaximum: 1).room == 1)
        // 0 is not allowed by MQTT; the window then has room for one.
        #expect(Window(receiveMaximum: 0).room == 1)
    }

    @Test func `an acknowledgement of an unknown packet changes nothing`() {
        var window = Window(receiveMaximum: 2)
        window.sent(entry(packet: 7, at: 1))
        #expect(window.acknowledged(packet: 8) == nil)
        #expect(window.oldest == Instant(milliseconds: 1))
        #expect(window.acknowledged(packet: 7)?.packet == 7)
        #expect(window.acknowledged(packet: 7) == nil)
        #expect(window.isEmpty)
    }
}

private func entry(packet: Int32, at time: Int64) -> Window.Entry {
    let id = PublicationID(number: UInt64(packet))
    return Window.Entry(packet: packet, id: id, publication: .text("t", "x"), sentAt: Instant(milliseconds: time))
}

extension Window {
    fileprivate var room: Int {
        var window = self
        var count = 0
        while window.hasRoom {
            window.sent(entry(packet: Int32(count), at: 0))
            count += 1
        }
        return count
    }
}
