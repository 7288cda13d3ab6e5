import Beacons
import Linux
import Messages
import Text

/// Shows every item and its beacon: `forgetmenot items list`.
public func listItems(over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let view = SiteView(try session.retained(for: .viewer))
    let items = view.items.values.sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    if asJSON {
        printLine(jsonArray(items) { $0.write(to: &$1) })
    } else {
        var table = Table([
            Table.Column("ITEM"), Table.Column("ID"), Table.Column("UUID"), Table.Column("MAJOR", .right),
            Table.Column("MINOR", .right), Table.Column("WHERE"),
        ])
        for item in items {
            table.append([
                item.name, item.id, "\(item.beacon.uuid)", "\(item.beacon.major)", "\(item.beacon.minor)",
                view.locations[item.id]?.place,
            ])
        }
        for line in table.lines(width: terminalWidth()) { printLine(line) }
    }
    guard view.isAggregatorAlive else {
        printError(aggregatorWarning)
        return .unavailable
    }
    return .right
}

/// What a person wrote of an item to add, not yet looked at.
public struct ItemWords: Sendable {
    var name: String
    var uuid: String
    var major: Int
    var minor: Int
    var id: String?
    var measuredPower: Int?

    /// The words of `items add`.
    public init(name: String, uuid: String, major: Int, minor: Int, id: String?, measuredPower: Int?) {
        self.name = name
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.id = id
        self.measuredPower = measuredPower
    }

    /// What is to be asked of the aggregator; what no item can have is refused here, with clear words.
    func wish() throws(Failure) -> WantedItem {
        guard !name.allSatisfy(\.isWhitespace) else { throw Failure(.usage, "the name is empty: give the item a name") }
        guard let uuid = BeaconUUID(uuid) else {
            throw Failure(.usage, "\"\(uuid)\" is no UUID: write it like e2c56db5-dffb-48d2-b060-d0f5a71096e0")
        }
        func number(_ value: Int, _ what: String) throws(Failure) -> UInt16 {
            guard let number = UInt16(exactly: value) else {
                throw Failure(.usage, "\(what) is \(value): write a number from 0 to 65535")
            }
            return number
        }
        let beacon = BeaconIdentity(
            uuid: uuid, major: try number(major, "--major"), minor: try number(minor, "--minor"))
        let power = measuredPower.flatMap { Int8(exactly: $0) }.map { MeasuredPower(dBm: $0) }
        if let measuredPower, power?.isPlausible != true {
            throw Failure(.usage, "--measured-power is \(measuredPower): write -100 to -10, in dBm")
        }
        return WantedItem(name: name, beacon: beacon, id: id, measuredPower: power)
    }
}

/// Makes a thing known: `forgetmenot items add`.
public func addItem(_ words: ItemWords, over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let wish = try words.wish()
    let item = try session.ask("items/add", wish, for: ItemAnswer.self).item
    printLine(asJSON ? String(decoding: item.bytes, as: UTF8.self) : "\(item.name) is known as \(item.id)")
    return .right
}

/// Forgets a thing: `forgetmenot items remove`.
public func removeItem(_ word: String, over session: BrokerSession) throws(Failure) -> ExitStatus {
    let item = try session.ask("items/remove", NamedThing(name: word), for: ItemAnswer.self).item
    printLine("\(item.name) is forgotten")
    return .right
}
