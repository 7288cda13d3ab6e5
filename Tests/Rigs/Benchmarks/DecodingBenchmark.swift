import Beacons
import HCI

extension Benchmark {
    /// From packets to sightings: all that is done to an advertisement before it is known whose it is.
    static func decoding(reportsPerEvent: Int) -> Benchmark {
        let corpus = Corpus(adverts: 100_000, reportsPerEvent: reportsPerEvent)
        let name = reportsPerEvent == 1 ? "one report per event" : "up to \(reportsPerEvent) reports per event"
        return Benchmark(name: "decoding, \(name)") {
            var decoder = AdvertisementDecoder()
            var reader = SightingReader()
            var checksum: UInt64 = 0
            let bytes = corpus.bytes.span.bytes
            for packet in corpus.packets {
                decoder.decode(bytes.extracting(packet), at: .zero) { advertisement, data in
                    guard let sighting = reader.read(advertisement, data) else { return }
                    checksum &+= sighting.checksum
                }
            }
            // Nothing was skipped, and nothing optimised away.
            precondition(reader.counters.adverts == corpus.adverts && checksum > 0)
            return corpus.adverts
        }
    }
}

extension Sighting {
    /// Of all its parts, so that each is really read.
    fileprivate var checksum: UInt64 {
        beacon.uuid.high ^ beacon.uuid.low ^ UInt64(beacon.major) << 16 ^ UInt64(beacon.minor) ^ address.bits
            ^ UInt64(address.kind.rawValue) ^ UInt64(UInt8(bitPattern: rssi?.dBm ?? 0))
            ^ UInt64(UInt8(bitPattern: measuredPower.dBm))
    }
}
