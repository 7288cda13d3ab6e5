import Beacons
import Messages

/// A pair whose only gateway, in the hall, receives what Anna carries and owns.
extension SharedSite {
    static let home = ["keys", "phone", "violin"]

    /// - Parameter name: one of the two.
    func successor(of name: String) -> String { name == "left" ? "right" : "left" }

    mutating func change(_ transition: Transition, of items: [String]) {
        for item in items {
            beacon(SitePeopleTests.beacon(SitePeopleTests.minors[item]!), transition, at: "hall")
        }
    }

    /// Time passes while the gateway ranges these.
    mutating func advance(by seconds: Double, ranging present: [String]) {
        let end = now + seconds
        while now < end {
            if Int(now) % 10 == 0 {
                gateway("hall", room: "Hall")
                for item in present { ranged(SitePeopleTests.beacon(SitePeopleTests.minors[item]!), at: "hall") }
            }
            advance(to: now + 1)
        }
    }
}
