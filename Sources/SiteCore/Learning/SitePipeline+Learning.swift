import Beacons
import Locating
import Messages

/// What the site learns while it runs.
extension SitePipeline {
    /// Continues with the data that a former process stored.
    mutating func remember(past: TrainingHistory, surveys: [StoredSurveys.Entry]) {
        study.restore(past: past, surveys: surveys)
    }

    /// Starts a lesson when there is enough new data.
    mutating func advanceStudy() {
        endSurveys()
        guard effects.now.instant >= items.settlesAt else { return }
        if let lesson = study.lesson(site: items.surroundings.model.site, at: effects.now.instant) {
            effects.add(.learn(lesson))
        }
        if study.isPastToBeStored(at: effects.now.instant) { effects.add(.storePast) }
    }

    /// Takes the result of a lesson.
    mutating func take(_ learned: Learned?, of lesson: Lesson, at moment: Moment) {
        now = moment
        guard study.take(learned, of: lesson, at: moment.wall) else { return }
        items.surroundings.model = LocatorModel(site: items.surroundings.model.site, learned: learned)
    }

    /// Responds to `learning`.
    func learning() -> LearningResponse {
        let worth = study.learned.map { learned in
            LearningResponse.Worth(
                at: study.learnedAt ?? effects.now.wall, share: learned.share, agreement: learned.agreement,
                difference: learned.difference, lived: Int(learned.lived), surveyed: Int(learned.surveyed))
        }
        let rooms = (study.learned?.knowledge ?? []).map {
            LearningResponse.Room(
                room: $0.room, fingerprints: $0.fingerprints, lived: Int($0.lived.rounded()),
                surveyed: Int($0.surveyed.rounded()))
        }
        return LearningResponse(
            worth: worth, isLearning: study.isLearning, rooms: rooms, stored: study.past.count,
            surveys: study.surveys.map(\.response))
    }

    /// Responds to `learning/forget`.
    mutating func forgetLearned() -> LearningResponse {
        study.forget()
        items.surroundings.model = LocatorModel(site: items.surroundings.model.site)
        effects.add(.storePast)
        return learning()
    }
}
