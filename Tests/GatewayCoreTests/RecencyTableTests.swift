import Testing

@testable import GatewayCore

@Suite("The table of what was heard lately")
struct RecencyTableTests {
    @Test func `the one touched longest ago makes room`() {
        var table = RecencyTable<Int, Int>(capacity: 3)
        for key in [1, 2, 3, 1, 4] { table.touch(key, default: 0) { $0 += 1 } }
        #expect(Dictionary(uniqueKeysWithValues: table.entries.map { ($0.key, $0.value) }) == [1: 2, 3: 1, 4: 1])
    }

    @Test func `the recency table agrees with a plain list through a flood`() {
        var table = RecencyTable<Int, Int>(capacity: 16)
        var list: [(key: Int, value: Int)] = []
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let key = Int.random(in: 0..<40, using: &generator)
            table.touch(key, default: 0) { $0 += 1 }
            let value = list.first { $0.key == key }?.value ?? 0
            list.removeAll { $0.key == key }
            list.append((key, value + 1))
            if list.count > 16 { list.removeFirst() }
        }
        #expect(table.count == 16)
        #expect(
            Dictionary(uniqueKeysWithValues: table.entries.map { ($0.key, $0.value) })
                == Dictionary(uniqueKeysWithValues: list.map { ($0.key, $0.value) }))
    }
}
