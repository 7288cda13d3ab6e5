import Beacons
import Messages

/// Which item each beacon and each name belongs to.
///
/// One beacon, one item: the configuration wins over what was added by command, then the lower id.
struct RegistryIndex: Sendable {
    /// The id of the item that a beacon belongs to.
    private(set) var owners: [BeaconIdentity: String] = [:]
    /// The ids by name, without characters that nobody sees; of several the lowest.
    private var names: [String: String] = [:]
    /// The items whose beacon belongs to another item, with a sentence about that.
    private(set) var conflicts: [String: String] = [:]
    /// Counts the items that were compared with each other, for tests of what a change costs.
    private(set) var compared = 0
    /// Whether no two items share a beacon or a name: then a change of one item concerns no other.
    private var isUnambiguous = true

    /// The id of the item of this name; of several the lowest.
    func item(named name: String) -> String? { names[name.visible] }

    mutating func add(_ item: RegistryItem) { (owners[item.beacon], names[item.name.visible]) = (item.id, item.id) }

    /// Replaces items by others, at their cost alone as long as no two items share a beacon or a name.
    ///
    /// - Parameters:
    ///   - items: all items after the change.
    ///   - configured: the ids of the configuration's entries, with their places.
    mutating func replace(
        _ former: [RegistryItem], by new: [RegistryItem], among items: [String: RegistryItem],
        configured: [String: String]
    ) {
        if isUnambiguous {
            for item in former { (owners[item.beacon], names[item.name.visible]) = (nil, nil) }
            let isFree = new.allSatisfy { item in
                guard owners[item.beacon] == nil, names[item.name.visible] == nil else { return false }
                add(item)
                return true
            }
            if isFree { return }
        }
        rebuild(items, configured: configured)
    }

    mutating func rebuild(_ items: [String: RegistryItem], configured: [String: String]) {
        (owners, names, conflicts) = ([:], [:], [:])
        compared += items.count
        for (id, item) in items where self.item(named: item.name).map({ id < $0 }) ?? true {
            names[item.name.visible] = id
        }
        for id in items.keys.sorted(by: { (configured[$0] == nil ? 1 : 0, $0) < (configured[$1] == nil ? 1 : 0, $1) }) {
            guard let item = items[id] else { continue }
            if let owner = owners[item.beacon] {
                conflicts[id] = "The beacon \(item.beacon) is that of \(owner), too: one beacon, one item."
            } else {
                owners[item.beacon] = id
            }
        }
        isUnambiguous = conflicts.isEmpty && names.count == items.count
    }
}
