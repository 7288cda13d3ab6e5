import Beacons
import Messages

/// The learned silences of each beacon, on a gateway's disk: `silences.json`.
///
/// They have a file of their own, because they take ten times the space of the states and change over hours. A power cut loses what was
/// learned since the last write.
package struct StoredSilences: Payload {
    var learned: [BeaconIdentity: [Double]]

    /// The limits of the program's own files: everything that was written can be read.
    package static var limits: JSONLimits { .ownFile }

    package func writeFields(to json: inout JSONWriter) {
        json.array("beacons", of: learned.sorted(by: { $0.key < $1.key })) { entry, json in
            let (beacon, numbers) = entry
            json.fields(of: beacon)
            json.array("learned_millionths") { json in
                for number in numbers { json.element(Int64((min(number, 1e12) * 1e6).rounded())) }
            }
        }
    }
}

extension StoredSilences {
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        var learned: [BeaconIdentity: [Double]] = [:]
        _ = try fields.array("beacons", limit: .max) { (value) throws(PayloadRefusal) in
            var fields = try Fields(value, of: "beacons")
            let beacon = try fields.beacon()
            learned[beacon] = try fields.array("learned_millionths", limit: .max) {
                (value) throws(PayloadRefusal) in
                guard let number = value.double else { throw .wrongType("learned_millionths") }
                return number / 1e6
            }
        }
        self.learned = learned
    }
}
