import BareClient
import Glibc
import Linux
import TestBroker

/// Other decoders with the same advertisements.
enum Peers {
    /// A loop in C that finds iBeacons and does nothing else.
    static func scan(_ corpus: Corpus) -> Benchmark {
        let lengths = corpus.packets.map { UInt16($0.count) }
        return Benchmark(name: "a scan in C, one report per event") {
            let sum = bare_scan(corpus.bytes, lengths, Int32(lengths.count))
            precondition(sum > 0)
            return corpus.adverts
        }
    }

    /// Packages of PyPI, if `make bench` has installed them in `folder`: a name, and millions of advertisements per second of the processor.
    static func python(_ corpus: Corpus, in folder: String) throws -> [(name: String, millions: Double)] {
        guard access(folder, R_OK) == 0 else { return [] }
        let files = try TestFolder()
        // The data of each advertisement, in hexadecimal: 15 bytes before it in a packet with one report, and the RSSI behind it.
        var text = ""
        for packet in corpus.packets.prefix(20_000) {
            for byte in corpus.bytes[(packet.lowerBound + 14)..<(packet.upperBound - 1)] {
                text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            text += "\n"
        }
        let data = try files.write(text, to: "adverts")
        let output = files.path("output")
        let status = try Child(["python3", "Tests/Rigs/Benchmarks/peers.py", folder, data], output: output).waitForEnd()
        let lines = String(decoding: try readFile(at: output, limit: 4096), as: UTF8.self).split(separator: "\n")
        if status != 0 { print("The decoders of PyPI ended with \(status): \(lines.last ?? "")") }
        return lines.compactMap { line in
            let parts = line.split(separator: "\t")
            return parts.count == 2 ? Double(parts[1]).map { (String(parts[0]), $0) } : nil
        }
    }
}
