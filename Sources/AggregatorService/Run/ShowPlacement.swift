import Linux
import Locating
import Messages
import SiteClient
import SiteCore

/// Shows which rooms are confused and where gateways should go: `forgetmenot placement`. The plan suffices; surveys are used if the
/// aggregator responds.
package func showPlacement(at path: String, asJSON: Bool) throws(Failure) -> ExitStatus {
    let configuration = try loadConfiguration(at: path) { printError("forgetmenot: \($0)") }.aggregator
    var surveys: [SurveyResponse.Survey] = []
    do throws(Failure) {
        surveys = try storedSurveys(over: BrokerSession(settings: configuration.broker))
    } catch {
        printError("forgetmenot: the surveys are not used: \(error)")
    }
    guard let placement = Placement(configuration.site, surveys: surveys) else {
        throw Failure(
            .noInput,
            "the plan has fewer than two rooms with an outline and a gateway: draw it on the page, or in \(path)")
    }
    guard !asJSON else {
        printJSON(jsonArray([placement]) { placement, json in json.object(placement.writeFields) })
        return .right
    }
    for sentence in placement.sentences { printLine(sentence) }
    return .right
}
