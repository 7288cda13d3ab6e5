import Hummingbird
import Messages

extension Routes {
    var surveyRoutes: [Route] {
        [
            Route(.get, "api/v1/surveys", .reader) { (_) throws(Refused) in
                let learning = try await link.ask(.learning, Nothing())
                return .json(
                    joined(
                        jsonObject { json in learning.writeFields(to: &json) },
                        Array("{\"current\":".utf8) + (surveys.json() ?? Array("null".utf8)) + Array("}".utf8)))
            },
            Route(.post, "api/v1/surveys", .admin, mostBytes: JSONLimits.payload.bytes) { (call) throws(Refused) in
                .json(try await surveys.start(try call.read(SurveyRequest.self)), status: .created)
            },
            Route(.delete, "api/v1/surveys/current", .admin) { (_) throws(Refused) in
                try await surveys.discard()
                return .nothing
            },
            Route(.delete, "api/v1/surveys/{room}", .admin) { (call) throws(Refused) in
                _ = try await link.ask(
                    .removeSurvey, NameOrID(name: call.parameter("room")))
                return .nothing
            },
        ]
    }
}
