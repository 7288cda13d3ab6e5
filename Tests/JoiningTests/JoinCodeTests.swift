import Testing

@testable import Joining

struct JoinCodeTests {
    @Test func `a code reads as it was printed, in any case, without dashes, and with letters that look alike`() throws
    {
        for _ in 0..<100 {
            let code = JoinCode()
            #expect(JoinCode(code.text) == code)
            #expect(JoinCode(code.text.lowercased().replacing("-", with: " ")) == code)
            #expect(JoinCode(code.text.replacing("0", with: "o").replacing("1", with: "l")) == code)
        }
        #expect(JoinCode().text.wholeMatch(of: /([0-9A-Z]{4}-){6}[0-9A-Z]{2}/) != nil)
    }

    @Test(arguments: [
        "", "7KQX-M2PD", "0000-0000-0000-0000-0000-0000-0", "0000-0000-0000-0000-0000-0000-000",
        "0000-0000-0000-0000-0000-0000-0U", "0000-0000-0000-0000-0000-0000-0é",
        // More than 128 bits.
        "8000-0000-0000-0000-0000-0000-00", "ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZ",
    ])
    func `a text that is no code is refused`(text: String) {
        #expect(JoinCode(text) == nil)
    }

    @Test func `all bits of a code are in its key, and two codes differ`() throws {
        let largest = try #require(JoinCode("7ZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZ"))
        #expect(largest.key == [UInt8](repeating: 255, count: 16))
        #expect(Set((0..<100).map { _ in JoinCode().key }).count == 100)
    }
}
