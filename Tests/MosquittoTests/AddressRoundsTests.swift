import Beacons
import Testing

@testable import Mosquitto

@Suite struct AddressRoundsTests {
    private func fault(_ kind: BrokerFault.Kind) -> BrokerFault { BrokerFault(kind, "a test") }

    /// Whether each of the next attempts comes at once, if all of them end in the same way.
    private func ends(
        _ times: Int, of rounds: inout AddressRounds, _ kind: BrokerFault.Kind, lasted: Interval? = nil
    ) -> [Bool] {
        (0..<times).map { _ in rounds.isNextAtOnce(after: fault(kind), lasted: lasted) }
    }

    @Test func `three addresses are tried one after the other`() {
        var rounds = AddressRounds(count: 3)
        let places = (0..<7).map { _ in
            defer { _ = rounds.isNextAtOnce(after: fault(.unreachable), lasted: nil) }
            return rounds.place
        }
        #expect(places == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test func `each attempt at a broker with one address waits for the back-off`() {
        var rounds = AddressRounds(count: 1)
        #expect(ends(5, of: &rounds, .unreachable) == [false, false, false, false, false])
        #expect(ends(2, of: &rounds, .lost, lasted: .seconds(1)) == [false, false])
    }

    @Test func `the first three rounds over three addresses follow one another, later ones wait after each round`() {
        var rounds = AddressRounds(count: 3)
        #expect(ends(11, of: &rounds, .unreachable) == [Bool](repeating: true, count: 11))
        #expect(ends(6, of: &rounds, .unreachable) == [false, true, true, false, true, true])
    }

    @Test func `clients that lose an established connection wait, so that they do not all connect at one moment`() {
        var rounds = AddressRounds(count: 3)
        _ = ends(4, of: &rounds, .unreachable)
        #expect(ends(1, of: &rounds, .lost, lasted: .seconds(3600)) == [false])
    }

    @Test func `a connection that a cluster drops after four seconds is followed by the next address at once`() {
        var rounds = AddressRounds(count: 3)
        _ = ends(4, of: &rounds, .unreachable)
        #expect(ends(1, of: &rounds, .lost, lasted: .seconds(4)) == [true])
    }

    @Test func `connections that end after a moment are not tried for ever without a wait`() {
        var rounds = AddressRounds(count: 2)
        #expect(ends(40, of: &rounds, .lost, lasted: .seconds(1)).count { !$0 } >= 16)
    }

    @Test(arguments: [BrokerFault.Kind.closed, .takenOver])
    func `a connection that another client with the same id may have ended waits`(_ kind: BrokerFault.Kind) {
        var rounds = AddressRounds(count: 3)
        #expect(ends(3, of: &rounds, kind, lasted: .seconds(1)) == [false, false, false])
    }
}
