import SiteCore
import Beacons
import Glibc
import Linux
import Locating
import Messages

/// What is learned, and what it is learned from, on disk.
extension AggregatorRun {
    /// Begins with the past and the surveys of former runs.
    mutating func rememberWhatWasLearned() {
        var past = Past()
        if let bytes = kept(.past, limit: JSONLimits.ownFile.bytes) {
            // A minute ago: the clock that it was noted by is gone, and the pause is one in what is learned from.
            past = Past(text: String(decoding: bytes, as: UTF8.self), endingAt: Clock.now - .seconds(60))
        }
        var surveys: [KeptSurveys.Entry] = []
        if let bytes = kept(.surveys, limit: KeptSurveys.limits.bytes) {
            do throws(PayloadRefusal) {
                surveys = try KeptSurveys(parsing: bytes).surveys
            } catch {
                let path = folder.file(SiteFile.surveys.rawValue)
                let aside = (try? setAside(path)) ?? path
                logger.error("\(path) is not what was written there (\(error)): it is set aside as \(aside)")
            }
        }
        driver.remember(past: past, surveys: surveys)
    }

    private func kept(_ file: SiteFile, limit: Int) -> [UInt8]? {
        do throws(SystemError) {
            return try readFile(at: folder.file(file.rawValue), limit: limit)
        } catch {
            if error.code != ENOENT { logger.warning("\(error)") }
            return nil
        }
    }

    /// Writes a file; returns why it could not be written, if so. A site is worth nothing under a count of starts that is not on the disk.
    mutating func replace(_ file: SiteFile, with bytes: [UInt8]) -> String? {
        do throws(SystemError) {
            if file == .site, counter.problem != nil {
                counter.keep(in: folder)
                if let problem = counter.problem { throw problem }
            }
            try folder.replace(file.rawValue, with: bytes)
            return nil
        } catch {
            return file == .site ? error.sentence(ofState: folder) : "\(error)"
        }
    }

    /// Begins a lesson; where no thread can be had, it is learned here and now.
    mutating func begin(_ lesson: Lesson) {
        do throws(SystemError) {
            self.lesson = try LessonUnderWay.begin(lesson)
        } catch {
            logger.warning("\(error): what was heard is learned from without it")
            driver.take(lesson.learn(), of: lesson, at: Clock.moment)
        }
    }

    /// Takes what was learned, once it was.
    mutating func takeLesson() {
        guard let underWay = lesson, let learned = underWay.outcome else { return }
        lesson = nil
        driver.take(learned, of: underWay.lesson, at: Clock.moment)
        if let learned {
            logger.info("Learned how \(learned.rooms.count) rooms sound")
        }
    }
}
