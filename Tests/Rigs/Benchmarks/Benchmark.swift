import Beacons
import Linux

/// One line of the table: something that is done to so many advertisements, and how many of them a second of processor time suffices for.
struct Benchmark {
    /// What is done, in a few words.
    var name: String
    /// Does it once, and returns how many advertisements that were.
    var round: () -> Int

    /// Advertisements per second of processor time: the best of some rounds, and the one in the middle. The best is what the code can do,
    /// as all that disturbs a round only makes it slower; the median shows how much it was disturbed.
    struct Result {
        var best: Double
        var median: Double
        var rounds: Int
    }

    /// Runs it for about `budget` of processor time, after one round that does not count.
    func run(for budget: Interval) -> Result {
        _ = round()
        var rates: [Double] = []
        let start = Clock.processorTime
        while rates.count < 5 || Clock.processorTime - start < budget {
            let before = Clock.processorTime
            let adverts = round()
            rates.append(Double(adverts) / (Clock.processorTime - before).seconds)
        }
        rates.sort()
        return Result(best: rates[rates.count - 1], median: rates[rates.count / 2], rounds: rates.count)
    }
}
