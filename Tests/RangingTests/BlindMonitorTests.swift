import Beacons
import Testing

@testable import Ranging

/// A blind gateway knows nothing (RulesOfTruth in the reference, rule 1).
struct BlindMonitorTests {
    @Test func `nothing is published before the radio scans`() {
        var monitor = Monitor(Monitor.Settings(exitAfter: .fixed(.seconds(10))), at: .zero)
        #expect(monitor.setRegions([bags], at: .zero) == [])
        #expect(monitor.received(bag, at: 1) == [])
        #expect(monitor.advance(to: second(1000)) == [])
        #expect(monitor.regionStatuses.map(\.state) == [.unknown])
        #expect(monitor.radio(scanning: true, at: second(1000)) == [])
        #expect(monitor.received(bag, at: 1001) == ["1/1 enter @1001", "bags enter @1001"])
    }

    @Test func `after a start without state, outside is first published after a full exit time of scanning`() {
        var monitor = scanning(to: [bags])
        #expect(monitor.advance(to: second(9.9)) == [])
        #expect(monitor.advance(to: second(10)).map(\.short) == ["bags outside @10"])
    }

    @Test func `a radio gone deaf makes unknown of inside and outside, and no exit`() {
        var monitor = scanning(to: [bags, region("cat", cat)])
        _ = monitor.received(bag, at: 1)
        _ = monitor.received(bag, at: 9)
        #expect(monitor.advance(to: second(10)).map(\.short) == ["cat outside @10"])
        let deaf = monitor.radio(scanning: false, at: second(12))
        #expect(deaf.map(\.short) == ["1/1 unknown @12", "bags unknown @12", "cat unknown @12"])
        #expect(monitor.advance(to: second(5000)) == [])
        #expect(monitor.state(of: bag) == .unknown)
        #expect(monitor.regionStatuses.map(\.state) == [.unknown, .unknown])
    }

    @Test func `after recovery a received beacon stays inside without a second enter`() throws {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 1)
        _ = monitor.radio(scanning: false, at: second(5))
        #expect(monitor.radio(scanning: true, at: second(605)) == [])
        #expect(monitor.state(ofRegion: "bags") == .unknown)
        #expect(monitor.received(bag, at: 606) == ["1/1 inside @606", "bags inside @606"])
        #expect(monitor.regionStatuses.map(\.since) == [second(1)])
        monitor.receivedSomething(at: second(615))
        let left = monitor.advance(to: second(616))
        let exit = try #require(left.first?.beacon)
        #expect(exit.event == .exit)
        #expect(exit.insideFor == .seconds(605))
    }

    @Test func `a beacon that stays silent for a full exit time after the recovery exits, dated by its last sighting`()
    {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 1)
        _ = monitor.radio(scanning: false, at: second(9))
        _ = monitor.radio(scanning: true, at: second(20))
        #expect(monitor.passed(21...29) == [])
        #expect(monitor.passed(30...31) == ["1/1 exit @11", "bags exit @11"])
    }

    @Test func `a beacon that was outside before and is received after the recovery enters`() {
        var monitor = scanning(to: [bags])
        _ = monitor.advance(to: second(10))
        _ = monitor.radio(scanning: false, at: second(20))
        _ = monitor.radio(scanning: true, at: second(30))
        #expect(monitor.received(bag, at: 31) == ["1/1 enter @31", "bags enter @31"])
    }

    @Test func `a beacon still missing leaves its region unknown until it is gone or back`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 1)
        _ = monitor.received(bike, at: 1)
        _ = monitor.radio(scanning: false, at: second(5))
        _ = monitor.radio(scanning: true, at: second(6))
        #expect(monitor.received(bag, at: 7) == ["1/1 inside @7", "bags inside @7"])
        #expect(monitor.passed(8...16) == ["1/2 exit @11"])
        #expect(monitor.passed(17...17) == ["1/1 exit @17", "bags exit @17"])
    }

    @Test func `outages of any length make no event of a beacon that stays`() {
        for outage in [0.001, 1, 9.9, 10, 11, 60, 600] {
            var monitor = scanning(to: [bags])
            var events = 0
            var now = 1.0
            for _ in 0..<20 {
                events += (monitor.receive(sighting(bag, at: now)) ?? []).count { $0.beacon?.event != nil }
                let later =
                    monitor.radio(scanning: false, at: second(now + 1))
                    + monitor.radio(scanning: true, at: second(now + 1 + outage))
                events += later.count { $0.beacon?.event != nil }
                now += outage + 2
            }
            #expect(events == 1)
        }
    }
}

/// A radio can be dead before one knows.
struct ProofTests {
    @Test
    func
        `if the radio received nothing since a beacon's last sighting it is proven, and the silence counts from shortly before`()
    {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 0)
        // A quarter of the silence: what an exit may lack of the silence that a proof has shown.
        #expect(monitor.advance(to: second(2.4)) == [])
        #expect(monitor.advance(to: second(2.5)) == [.proofRequested])
        #expect(monitor.proven(at: second(4)) == [])
        // The proof at 4 s proves nothing for 11 s, so another proof is requested in time.
        #expect(monitor.advance(to: second(11.4)) == [.proofRequested])
        #expect(monitor.proven(at: second(11.4)) == [])
        #expect(monitor.advance(to: second(11.5)).map(\.short) == ["1/1 exit @10", "bags exit @10"])
    }

    @Test func `a radio that dies after its proof makes no exit`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 0)
        #expect(monitor.advance(to: second(2.5)) == [.proofRequested])
        #expect(monitor.proven(at: second(2.6)) == [])
        #expect(monitor.advance(to: second(15)).allSatisfy { $0 == .proofRequested })
        #expect(
            monitor.radio(scanning: false, at: second(15)).map(\.short) == ["1/1 unknown @15", "bags unknown @15"])
    }

    @Test func `without the proof there is no exit, and it is asked for again every ten seconds`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 0)
        #expect(monitor.advance(to: second(61)).map(\.short) == [String](repeating: "proof", count: 6))
        #expect(monitor.state(of: bag) == .inside)
    }

    @Test func `a radio that turns out dead makes unknown, not an exit`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 0)
        _ = monitor.advance(to: second(30))
        #expect(
            monitor.radio(scanning: false, at: second(31)).map(\.short) == ["1/1 unknown @31", "bags unknown @31"])
    }

    @Test func `a sighting while the proof is waited for ends the silence`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 0)
        _ = monitor.advance(to: second(3))
        #expect(monitor.received(bag, at: 4) == [])
        #expect(monitor.proven(at: second(5)) == [])
        #expect(monitor.passed(5...13) == [])
        #expect(monitor.passed(14...14) == ["1/1 exit @14", "bags exit @14"])
    }

    @Test func `while the radio receives no proof is requested`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 0)
        #expect(monitor.passed(1...10) == ["1/1 exit @10", "bags exit @10"])
    }

    @Test func `where the end of a silence was quiet the proof is asked for before the exit falls due`() {
        var monitor = scanning(to: [bags], exitAfter: .fixed(.seconds(40)))
        _ = monitor.received(bag, at: 0)
        monitor.receivedSomething(at: second(1))
        #expect(monitor.advance(to: second(39)) == [.proofRequested])
        #expect(monitor.proven(at: second(39.5)) == [])
        #expect(monitor.advance(to: second(39.9)) == [])
        #expect(monitor.advance(to: second(40)).map(\.short) == ["1/1 exit @40", "bags exit @40"])
    }

    @Test func `where the end of a silence was quiet a late proof lets the exit go at once`() {
        var monitor = scanning(to: [bags], exitAfter: .fixed(.seconds(40)))
        _ = monitor.received(bag, at: 0)
        monitor.receivedSomething(at: second(1))
        #expect(monitor.advance(to: second(40)) == [.proofRequested])
        #expect(monitor.proven(at: second(41)).map(\.short) == ["1/1 exit @40", "bags exit @40"])
    }

    /// Newly met, and after nine hours; the radio responds this late.
    @Test(arguments: [60, 32_400], [0.1, 2, 5])
    func `tags that fall silent together exit when their silence is over, and no later than the radio responds`(
        seconds: Int, latency: Double
    ) {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        let tags = (1...12).map { BeaconIdentity(uuid: owner, major: 9, minor: $0) }
        for moment in 0..<seconds {
            for tag in tags where moment % [1, 1, 2, 5][Int(tag.minor) % 4] == 0 {
                _ = monitor.receive(sighting(tag, at: Double(moment)))
            }
        }
        var respondsAt: Double?
        var lateness: [Double] = []
        for step in 0..<5000 {
            let now = Double(seconds) + Double(step) / 10
            // A neighbour's television is received all the time.
            monitor.receivedSomething(at: second(now))
            var transitions = monitor.advance(to: second(now))
            if let due = respondsAt, due <= now {
                respondsAt = nil
                transitions += monitor.proven(at: second(now))
            }
            for transition in transitions {
                if transition == .proofRequested { respondsAt = now + latency }
                guard let exit = transition.beacon else { continue }
                // A tag of 5 s is waited for two or three advertisements: its silence counts from a quarter before the radio's proof.
                let allowed = exit.identity.minor % 4 == 3 ? 5.0 : 0
                lateness.append((second(now) - exit.at).seconds - allowed)
            }
        }
        #expect(lateness.count == tags.count)
        #expect(lateness.allSatisfy { $0 <= latency + 0.3 }, "\(lateness)")
    }

    @Test func `a quiet house is never unknown`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 0)
        var now = 0.0
        while now < 86_400 {
            now += 10
            let transitions = monitor.advance(to: second(now))
            #expect(!transitions.contains { $0.region?.state == .unknown })
            if transitions.contains(.proofRequested) { _ = monitor.proven(at: second(now)) }
        }
        #expect(monitor.state(ofRegion: "bags") == .outside)
    }

    @Test func `three beacons that fall silent together hold their exits for the proof, though others are received`() {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        let tags = (1...20).map { BeaconIdentity(uuid: owner, major: 9, minor: $0) }
        // Nine hours at 1 Hz: the least silence is required then.
        for moment in 0..<32_400 {
            for tag in tags { _ = monitor.receive(sighting(tag, at: Double(moment))) }
        }
        #expect(monitor.beaconStatuses.allSatisfy { $0.requiredSilence == .seconds(11.5) })
        var proofs = 0
        var exits: [Double] = []
        for moment in 32_400..<32_430 {
            let outputs =
                monitor.advance(to: second(Double(moment)))
                + tags[5...].flatMap { monitor.receive(sighting($0, at: Double(moment))) ?? [] }
            for transition in outputs {
                if transition == .proofRequested { proofs += 1 }
                if transition.beacon?.event == .exit { exits.append(Double(moment)) }
            }
            if moment == 32_405 { _ = monitor.proven(at: second(Double(moment))) }
        }
        #expect(proofs == 1)
        // 11.5 s are required, and of these a quarter may lie before the proof.
        #expect(exits == [32_414, 32_414, 32_414, 32_414, 32_414])
    }
}
