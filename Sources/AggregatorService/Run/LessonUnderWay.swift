import SiteCore
import Glibc
import Linux
import Locating
import Synchronization

/// A lesson that a thread of its own learns, with less right to the processor than everything else.
final class LessonUnderWay: Sendable {
    let lesson: Lesson
    private let bell: Wakeup
    private let result = Mutex<Learned??>(nil)

    private init(_ lesson: Lesson) throws(SystemError) {
        self.lesson = lesson
        bell = try Wakeup()
    }

    /// Begins to learn.
    static func begin(_ lesson: Lesson) throws(SystemError) -> LessonUnderWay {
        let underWay = try LessonUnderWay(lesson)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<LessonUnderWay>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(underWay).toOpaque())
        guard code == 0 else {
            Unmanaged.passUnretained(underWay).release()
            throw SystemError("start a thread", code: code)
        }
        pthread_detach(thread)
        return underWay
    }

    /// What becomes readable when it is over.
    var number: Int32 { bell.number }

    /// What was learned, once it is over.
    var outcome: Learned?? { result.withLock { $0 } }

    private func run() {
        // Of Linux's threads each has a niceness of its own.
        _ = nice(10)
        let learned = lesson.learn()
        result.withLock { $0 = .some(learned) }
        bell.ring()
    }
}
