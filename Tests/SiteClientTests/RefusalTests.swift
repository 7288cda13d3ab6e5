import Testing

@testable import SiteClient

struct RefusalTests {
    @Test(arguments: [
        ("There is no item \"Keys\".", "there is no item \"Keys\""),
        (
            "hall is alive: stop it first, or it comes back at once.",
            "hall is alive: stop it first, or it comes back at once"
        ),
        ("MQTT is off.", "MQTT is off"), ("", ""), (".", ""),
    ])
    func `the aggregator's refusal is printed like the program's own errors`(sentence: String, line: String) {
        #expect(errorLine(ofRefusal: sentence) == line)
    }
}
