import Hummingbird
import Messages

/// Surveys of rooms.
extension Routes {
    var surveyRoutes: [Route] { [] }
}
