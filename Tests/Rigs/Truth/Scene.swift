/// What is between one tag and one gateway, for days on end.
struct Scene {
    /// Losses that come and go; both times are exponential.
    struct Trouble {
        /// Seconds that it lasts on average.
        var on: Double
        /// Seconds between two of them on average.
        var off: Double
        /// Which part of what would arrive is lost meanwhile.
        var loss: Double

        /// Gilbert-Elliott: a share of all time, lasting so long on average.
        static func share(_ share: Double, lasting on: Double, loss: Double) -> Trouble {
            Trouble(on: on, off: on * (1 - share) / share, loss: loss)
        }
    }

    /// Reception that wanders between all and `1 - depth` of it, as a sine with this period in seconds.
    struct Drift {
        var depth: Double
        var period: Double
    }

    var name: String
    /// From one advertisement to the next in seconds, without the 0 to 10 ms that are added each time.
    var interval: Double
    /// Which part arrives while nothing below is the matter.
    var reception: Double
    var troubles: [Trouble] = []
    var drift: Drift?
    /// Real absences a day, and their length in seconds.
    var absences = 0.0
    var absence: ClosedRange<Double> = 1200...7200
}
