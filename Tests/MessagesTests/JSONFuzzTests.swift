import Beacons
import Messages
import Testing

/// Hostile documents from a seed: none crashes the reader, and a document that is read stays equal when written and
/// read again.
@Suite struct JSONFuzzTests {
    private let corpus: [[UInt8]] = [
        #"{"v":1,"gateway":"kitchen","proximity":"near","accuracy_m":1.84,"rssi_dbm":-67.2,"sightings":9}"#,
        #"{"a":[1,-2.5e3,"\ud83c\udf92\n",true,null,{"b":[[[]]]}],"c":""}"#,
        #"[0.1e-400,1e999,-9223372036854775808,18446744073709551616,"电脑包"]"#,
    ].map { Array($0.utf8) }

    @Test func `no mutation of a document crashes the reader, and what it reads is stable`() throws {
        var generator = SplitMix64(seed: 20_261_121)
        var accepted = 0
        for _ in 0..<3000 {
            var bytes = corpus.randomElement(using: &generator)!
            for _ in 0..<Int.random(in: 1...4, using: &generator) { mutate(&bytes, using: &generator) }
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            accepted += 1
            var json = JSONWriter()
            json.element(value)
            #expect(try JSONValue(parsing: json.bytes) == value, "\(bytes)")
        }
        #expect(accepted > 100)
    }

    @Test func `no random bytes crash the reader`() {
        var generator = SplitMix64(seed: 42)
        let alphabet = Array("{}[]\":,\\u0123456789abcdefDE+-.tnl \u{0}\u{1F}é".utf8) + [0xFF, 0xED, 0xA0]
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator)!
            }
            _ = try? JSONValue(parsing: bytes)
            _ = Request(parsing: bytes)
        }
    }

    @Test func `every proper prefix of a document is refused as truncated`() {
        for document in corpus.prefix(2) {
            for length in 0..<document.count {
                #expect(throws: JSONRefusal.truncated) { try JSONValue(parsing: Array(document.prefix(length))) }
            }
        }
    }

    private func mutate(_ bytes: inout [UInt8], using generator: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let position = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes.remove(at: position)
        case 2: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: position)
        case 3: bytes.insert(Array("{}[]\",:0-eE.\\u".utf8).randomElement(using: &generator)!, at: position)
        default:
            let end = Int.random(in: position..<bytes.count, using: &generator)
            bytes.insert(contentsOf: bytes[position...end], at: Int.random(in: bytes.indices, using: &generator))
        }
    }
}
