import Beacons
import Testing

@testable import Mosquitto

@Suite struct EchoTests {
    private let begin = Instant(nanoseconds: 0)
    private func after(_ seconds: Double) -> Instant { begin + .seconds(seconds) }

    @Test func `an echo that never returned is no sign, because the ACL of the broker may deny it`() {
        var echo = Echo(after: .seconds(60))
        #expect(echo.step(at: begin) == .send)
        #expect(echo.step(at: after(3600)) == nil)
    }

    @Test func `an echo that does not return any more shows that nothing is delivered`() {
        var echo = Echo(after: .seconds(60))
        #expect(echo.step(at: begin) == .send)
        echo.arrived(isEcho: true, at: begin)
        #expect(echo.step(at: after(59)) == nil)
        #expect(echo.step(at: after(60)) == .send)
        #expect(echo.step(at: after(119)) == nil)
        #expect(echo.step(at: after(120)) == .reconnect)
    }

    @Test func `the first echo is sent whatever has arrived before`() {
        var echo = Echo(after: .seconds(60))
        echo.arrived(isEcho: false, at: begin)
        #expect(echo.step(at: begin) == .send)
    }

    @Test func `any message with QoS 1 shows that the broker delivers`() {
        var echo = Echo(after: .seconds(60))
        _ = echo.step(at: begin)
        echo.arrived(isEcho: true, at: begin)
        #expect(echo.step(at: after(60)) == .send)
        echo.arrived(isEcho: false, at: after(119))
        #expect(echo.step(at: after(178)) == nil)
        #expect(echo.step(at: after(179)) == .send)
    }

    @Test func `an echo that the broker refuses after a change of its ACL is no sign any more`() {
        var echo = Echo(after: .seconds(60))
        _ = echo.step(at: begin)
        echo.arrived(isEcho: true, at: begin)
        #expect(echo.step(at: after(60)) == .send)
        echo.refused()
        #expect(echo.step(at: after(600)) == nil)
    }
}
