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
        var past = TrainingHistory()
        if let bytes = stored(.past, limit: JSONLimits.ownFile.bytes) {
            // A minute ago: the clock that it was noted by is gone, and the pause is one in what is learned from.
            past = TrainingHistory(text: String(decoding: bytes, as: UTF8.self), endingAt: Clock.now - .seconds(60))
        }
        var surveys: [StoredSurveys.Entry] = []
        if let bytes = stored(.surveys, limit: StoredSurveys.limits.bytes) {
            do throws(PayloadRefusal) {
                surveys = try StoredSurveys(parsing: bytes).surveys
            } catch {
                let path = folder.file(SiteFile.surveys.rawValue)
                let aside = (try? setAside(path)) ?? path
                logger.error("\(path) is damaged (\(error)): it is set aside as \(aside)")
            }
        }
        driver.site.remember(past: past, surveys: surveys)
    }

    private func stored(_ file: SiteFile, limit: Int) -> [UInt8]? {
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
            if file == .site || file == .changes, counter.problem != nil {
                counter.keep(in: folder)
                if let problem = counter.problem { throw problem }
            }
            try folder.replace(file.rawValue, with: bytes)
            return nil
        } catch {
            return file == .site || file == .changes ? error.sentence(ofState: folder) : "\(error)"
        }
    }

    /// Adds to a file; returns why that failed, if so.
    func append(_ bytes: [UInt8], to file: SiteFile) -> String? {
        do throws(SystemError) {
            try folder.append(bytes, to: file.rawValue)
            return nil
        } catch {
            return error.sentence(ofState: folder)
        }
    }

    /// Starts a lesson in a thread; if no thread can be created, runs the lesson at once.
    mutating func begin(_ lesson: Lesson) {
        do throws(SystemError) {
            self.lesson = try LessonUnderWay.begin(lesson)
        } catch {
            logger.warning("\(error): learning runs on the main thread")
            driver.site.adopt(lesson.learn(), of: lesson, at: Clock.moment)
        }
    }

    /// Applies the result of a lesson that has ended.
    mutating func adoptLesson() {
        guard let underWay = lesson, let learned = underWay.outcome else { return }
        lesson = nil
        driver.site.adopt(learned, of: underWay.lesson, at: Clock.moment)
        if let learned {
            logger.info("Learned the fingerprints of \(learned.rooms.count) rooms")
        }
    }
}
