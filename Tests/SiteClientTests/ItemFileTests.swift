import Beacons
import Linux
import Messages
import Testing

@testable import SiteClient

@Suite("Files of items")
struct ItemFileTests {
    private let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    @Test func `every item is read, with the line on which it begins`() throws {
        let text = """
            [
            {"v":1,"id":"a","name":"A]\\"},{","uuid":"\(uuid)","major":1,"minor":2,"notify":{"left":true}},

              {"name":"电脑包",
               "uuid":"\(uuid)","major":1,"minor":3}, {"name":"C","uuid":"\(uuid)","major":1,"minor":4}
            ]
            """
        let file = try ItemFile(Array(text.utf8), path: "items.json")
        #expect(file.entries.map(\.line) == [2, 4, 5])
        #expect(file.entries.map(\.requested.item.name) == ["A]\"},{", "电脑包", "C"])
        #expect(file.entries[0].requested.item.notify == Notify(left: true, returned: false))
        #expect(try ItemFile(Array("[]".utf8), path: "items.json").entries.isEmpty)
        // Editors of some systems write a byte order mark.
        let marked = try ItemFile([0xEF, 0xBB, 0xBF] + Array(text.utf8), path: "items.json")
        #expect(marked.entries == file.entries)
    }

    @Test func `an exported file is read as it was written`() throws {
        let keys = BeaconIdentity(uuid: Example.bag.uuid, major: 7, minor: 8)
        let items = [
            RegistryItem(id: "bag", name: "Bag", beacon: Example.bag, notify: Notify(left: true, returned: true)),
            RegistryItem(id: "keys", name: "Keys", beacon: keys, measuredPower: MeasuredPower(dBm: -70)),
        ]
        let file = try ItemFile(Array(jsonArray(items) { $0.write(to: &$1) }.utf8), path: "items.json")
        #expect(file.entries.map(\.requested.item.id) == items.map(\.id))
        #expect(file.entries.map(\.requested.item.name) == items.map(\.name))
        #expect(file.entries.map(\.requested.item.beacon) == items.map(\.beacon))
        #expect(file.entries.map(\.requested.item.measuredPower) == items.map(\.measuredPower))
        #expect(file.entries.map(\.requested.item.notify) == items.map(\.notify))
    }

    @Test func `an entry without an id exists already if the item of its name is as the entry, also twice in a file`()
        throws
    {
        let entry =
            "{\"name\":\"Bag\",\"uuid\":\"\(Example.bag.uuid)\",\"major\":\(Example.bag.major),\"minor\":\(Example.bag.minor)}"
        let file = try ItemFile(Array("[\(entry),\n\(entry)]".utf8), path: "items.json")
        let other = BeaconIdentity(uuid: Example.bag.uuid, major: 7, minor: 8)
        func plan(_ item: RegistryItem) -> ImportPlan { file.plan(among: [item.id: item]) }
        // The id was made from another name once.
        let same = plan(RegistryItem(id: "laptop-bag", name: "Bag", beacon: Example.bag))
        #expect(same.new.isEmpty && same.known == 1 && same.repeated == 1)
        #expect(plan(RegistryItem(id: "bag", name: "Bag", beacon: other)).new == [0])
        #expect(plan(RegistryItem(id: "bag", name: "Rucksack", beacon: Example.bag)).new == [0])
    }

    @Test func `an item exists whatever was set of it that the file leaves out, and what the file has else is named`()
        throws
    {
        let set = RegistryItem(
            id: "bag", name: "Bag", beacon: Example.bag, measuredPower: MeasuredPower(dBm: -70), sleeps: true,
            notify: Notify(left: true, returned: false),
            ownership: Ownership(owners: ["anna"], needed: Schedule("mon 07:00-09:00"), notAloneIn: ["Hall"]))
        func plan(_ members: String, id: String = "") throws -> ImportPlan {
            let entry =
                "{\(id)\"name\":\"Bag\",\"uuid\":\"\(Example.bag.uuid)\",\"major\":\(Example.bag.major),\"minor\":\(Example.bag.minor)"
            return try ItemFile(Array("[\(entry)\(members)}]".utf8), path: "items.json").plan(among: ["bag": set])
        }
        for id in ["", #""id":"bag","#] {
            #expect(try plan("", id: id).known == 1)
            for (member, key) in [
                (#""owners":["ben"]"#, "owners"), (#""measured_power_dbm":-60"#, "measured_power_dbm"),
                (#""notify":{"left":false}"#, "notify"), (#""not_alone_in":["Attic"]"#, "not_alone_in"),
                (#""needed":"tue 07:00-09:00""#, "needed"), (#""owners":["ben"],"needed":"always""#, "owners, needed"),
            ] {
                let plan = try plan("," + member, id: id)
                #expect(plan.new.isEmpty && plan.known == 0)
                #expect(
                    plan.refused.map(\.error) == [
                        "The item \"Bag\" exists with other settings (\(key)): an import changes no item."
                    ])
            }
        }
    }

    @Test(arguments: ["", "{}", "[", "null", "[{}", "items"])
    func `a file that is no array is refused whole`(text: String) throws {
        let failure = try #require(throws: Failure.self) { try ItemFile(Array(text.utf8), path: "items.json") }
        #expect(failure.status == .configuration && failure.description.contains("items.json"))
    }

    @Test func `a syntax error in a file of items is reported with its line`() throws {
        let text = "[\n{\"name\":\"A\"},\n{\"name\":}\n]"
        let failure = try #require(throws: Failure.self) { try ItemFile(Array(text.utf8), path: "items.json") }
        #expect(failure.description.hasPrefix("items.json:3: not a JSON array"))
        #expect(failure.description.contains("CSV"))
    }

    @Test func `every entry that is no item is named with its line, and nothing of the file is added`() throws {
        let text = "[\n{\"name\":\"A\",\"uuid\":\"\(uuid)\",\"major\":1,\"minor\":2},\n{\"name\":\"B\"},\n7]"
        let failure = try #require(throws: Failure.self) { try ItemFile(Array(text.utf8), path: "items.json") }
        #expect(
            "\(failure)".split(separator: "\n") == [
                "items.json:3: uuid is missing: write 32 hexadecimal digits like \"f7826da6-4fa2-4e98-8024-bc5b71e0893e\"",
                "items.json:4: 7 is no item: write an object with name, uuid, major and minor",
                "items.json: nothing is added: correct these lines, and import the file again",
            ])
        #expect(failure.status == .configuration)
    }

    @Test(arguments: [
        (#""minor":70000"#, "minor is 70000: write a whole number from 0 to 65535"),
        (#""minor":"2""#, #"minor is "2": write a whole number from 0 to 65535"#),
        (
            #""minor":2,"measured_power_dbm":-5"#,
            "measured_power_dbm is -5: write a whole number from -100 to -10"
        ),
        (#""minor":2,"colour":"red""#, "colour is no key of an item: leave it out"),
        (#""minor":2,"owner":["anna"]"#, "owner is no key of an item: did you mean owners?"),
        (#""minor":2,"owners":"anna""#, #"owners is "anna": write an array of at most 16 texts"#),
        (#""minor":2,"notify":{"after_s":-1}"#, "notify.after_s is -1: write a whole number from 0 to 31536000"),
        (#""minor":2,"notify":{"from":"25:00"}"#, #"notify.from is "25:00": write a time of day like "07:00""#),
        (#""minor":2,"notify":{"from":"07:00"}"#, #"notify.to is missing: write a time of day like "07:00""#),
        (
            #""minor":2,"notify":{"from":"07:00","to":"07:00"}"#,
            #""notify.from" and "notify.to" are equal: write two times that differ, or null for both"#
        ),
    ])
    func `a wrong entry is named with its value and with what to write, without a full stop`(
        members: String, problem: String
    ) throws {
        let text = "[{\"name\":\"A\",\"uuid\":\"\(uuid)\",\"major\":1,\(members)}]"
        for _ in 1...2 {
            let failure = try #require(throws: Failure.self) { try ItemFile(Array(text.utf8), path: "items.json") }
            #expect("\(failure)".split(separator: "\n").first == "items.json:1: \(problem)")
        }
    }
}
