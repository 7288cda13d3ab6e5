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
            let text = String(decoding: bytes, as: UTF8.self)
            past = TrainingHistory(text: text, endingAt: Clock.now - .seconds(60))
            let unread = text.split(separator: "\n").count - past.lineCount
            if unread > 0 {
                setAside(.past, because: "is damaged (\(unread) lines cannot be read, \(past.lineCount) stay)")
                _ = disk.replace(.past, with: Array(past.text.utf8))
            }
        }
        var surveys: [StoredSurveys.Entry] = []
        if let bytes = stored(.surveys, limit: StoredSurveys.limits.bytes) {
            do throws(PayloadRefusal) {
                surveys = try StoredSurveys(parsing: bytes).surveys
            } catch {
                setAside(.surveys, because: "is damaged (\(error))")
            }
        }
        driver.site.remember(past: past, surveys: surveys)
    }

    private mutating func stored(_ file: SiteFile, limit: Int) -> [UInt8]? {
        do throws(SystemError) {
            return try readFile(at: folder.file(file.rawValue), limit: limit)
        } catch {
            if error.code != ENOENT { setAside(file, because: "cannot be read (\(error))") }
            return nil
        }
    }

    /// What a file holds may be the only copy: the next write would replace it.
    private mutating func setAside(_ file: SiteFile, because reason: String) {
        let path = folder.file(file.rawValue)
        report("\(path) \(reason): \(Self.outcome(ofSettingAside: path)).")
    }

    /// Starts a lesson in a thread; if no thread can be created, runs the lesson at once.
    mutating func begin(_ lesson: Lesson) {
        do throws(SystemError) {
            let learning = try Background(named: "lesson") {
                // Of Linux's threads each has a niceness of its own.
                _ = nice(10)
                return lesson.learn()
            }
            self.lesson = (lesson, learning)
        } catch {
            logger.warning("\(error): learning runs on the main thread")
            driver.site.adopt(lesson.learn(), of: lesson, at: Clock.moment)
        }
    }

    mutating func adoptLesson() {
        guard let (lesson, learning) = lesson, let learned = learning.outcome else { return }
        self.lesson = nil
        driver.site.adopt(learned, of: lesson, at: Clock.moment)
        if let learned {
            logger.info("Learned the fingerprints of \(learned.rooms.count) rooms")
        }
    }
}
