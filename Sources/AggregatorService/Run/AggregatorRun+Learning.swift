import Beacons
import Glibc
import Linux
import Locating
import Messages

/// What is learned, and what it is learned from, on disk.
extension AggregatorRun {
    private static let pastFile = "past.txt"
    private static let surveysFile = "surveys.json"

    /// Begins with the past and the surveys of former runs.
    mutating func rememberWhatWasLearned() {
        var past = Past()
        if let bytes = kept(Self.pastFile, limit: JSONLimits.ownFile.bytes) {
            // A minute ago: the clock that it was noted by is gone, and the pause is one in what is learned from.
            past = Past(text: String(decoding: bytes, as: UTF8.self), endingAt: Clock.now - .seconds(60))
        }
        var surveys: [KeptSurveys.Entry] = []
        if let bytes = kept(Self.surveysFile, limit: KeptSurveys.limits.bytes) {
            do throws(PayloadRefusal) {
                surveys = try KeptSurveys(parsing: bytes).surveys
            } catch {
                let path = folder.file(Self.surveysFile)
                let aside = (try? setAside(path)) ?? path
                logger.error("\(path) is not what was written there (\(error)): it is set aside as \(aside)")
            }
        }
        pipeline.remember(past: past, surveys: surveys)
    }

    private func kept(_ file: String, limit: Int) -> [UInt8]? {
        do throws(SystemError) {
            return try readFile(at: folder.file(file), limit: limit)
        } catch {
            if error.code != ENOENT { logger.warning("\(error)") }
            return nil
        }
    }

    mutating func keepPast() {
        let (bytes, now) = (Array(pipeline.study.past.text.utf8), Clock.now)
        budget.spend(replacing: bytes.count, at: now)
        do throws(SystemError) {
            try folder.replace(Self.pastFile, with: bytes)
            pipeline.study.pastIsKept(bytes: bytes.count, at: now)
        } catch {
            logger.warning("\(error): what was heard is kept in memory alone")
        }
    }

    func keepSurveys() {
        do throws(SystemError) {
            try folder.replace(Self.surveysFile, with: KeptSurveys(pipeline.study.surveys).bytes)
        } catch {
            logger.error("\(error): the surveys are kept in memory alone")
        }
    }

    /// Begins a lesson; where no thread can be had, it is learned here and now.
    mutating func begin(_ lesson: Lesson) {
        do throws(SystemError) {
            self.lesson = try LessonUnderWay.begin(lesson)
        } catch {
            logger.warning("\(error): what was heard is learned from without it")
            pipeline.take(lesson.learn(), of: lesson, at: Clock.moment)
        }
    }

    /// Takes what was learned, once it was.
    mutating func takeLesson() {
        guard let underWay = lesson, let learned = underWay.outcome else { return }
        lesson = nil
        pipeline.take(learned, of: underWay.lesson, at: Clock.moment)
        if let learned {
            logger.info("Learned how \(learned.rooms.count) rooms sound")
        }
    }
}
