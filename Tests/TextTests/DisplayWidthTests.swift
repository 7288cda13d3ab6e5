import Beacons
import Testing
import Text

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0),
        ("Laptop bag", 10),
        ("电脑包", 6),
        ("カバン", 6),
        ("ｶﾊﾞﾝ", 4),  // half-width katakana
        ("Ｗ", 2),
        ("가방", 4),
        ("\u{1100}\u{1161}\u{11A8}", 2),  // the same kind of syllable, letter by letter
        ("Küche", 5),
        ("Ku\u{308}che", 5),
        ("e\u{301}\u{302}\u{303}", 1),
        ("ключи", 5),
        ("المفاتيح", 8),
        ("กุญแจ", 4),
        ("🎒", 2),
        ("👩‍🚀", 2),
        ("👨‍👩‍👧‍👦", 2),
        ("👍🏽", 2),
        ("❤️", 2),
        ("❤", 1),
        ("1️⃣", 2),
        ("🇨🇭", 2),
        ("🇨🇭🇯🇵", 4),
        ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2),
        ("a\u{200B}b", 2),
        ("a\tb", 3),
        ("\u{1B}[31m", 5),
        ("\r\n", 2),
    ])
    func `a text has the display width of a terminal`(text: String, columns: Int) {
        #expect(displayWidth(of: text) == columns)
        #expect(displayWidth(of: printable(text)) == columns)
    }

    @Test func `characters that move the cursor are replaced one for one`() {
        #expect(printable("\u{1B}[2Jbag\r\n\u{7F}\u{9B}") == "\u{FFFD}[2Jbag\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(printable("\u{202E}gab\u{2069}\u{2028}") == "\u{FFFD}gab\u{FFFD}\u{FFFD}")
        #expect(printable("电脑包 👩‍🚀 ü") == "电脑包 👩‍🚀 ü")
    }

    @Test(arguments: [
        ("Laptop bag", 10, "Laptop bag"),
        ("Laptop bag", 9, "Laptop b…"),
        ("电脑包", 6, "电脑包"),
        ("电脑包", 5, "电脑…"),
        ("电脑包", 4, "电…"),  // the second would end in the fifth column
        ("👩‍🚀👩‍🚀", 3, "👩‍🚀…"),
        ("Laptop bag", 1, "…"),
        ("Laptop bag", 0, ""),
        ("", 0, ""),
    ])
    func `a long text is cut between clusters and ends in an ellipsis`(text: String, width: Int, expected: String) {
        #expect(truncated(text, to: width) == expected)
        #expect(displayWidth(of: truncated(text, to: width)) <= width)
    }
}
