import Testing
import Text

struct TextsTests {
    private let german = Texts(["{item} is back{place}.": "{item} ist wieder da{place}.", "A test": "Ein Test"])

    @Test func `a sentence is translated, with its values in the translation's order`() {
        let swapped = Texts(["{a} in {b}": "in {b}: {a}"])
        #expect(swapped.localized("{a} in {b}", ["a": "Keys", "b": "Hall"]) == "in Hall: Keys")
        #expect(
            german.localized("{item} is back{place}.", ["item": "Uhr", "place": " (Flur)"])
                == "Uhr ist wieder da (Flur).")
        #expect(german.localized("A test") == "Ein Test")
    }

    @Test func `a sentence without a translation is English`() {
        #expect(german.localized("{item} is alone{place}.", ["item": "Uhr", "place": ""]) == "Uhr is alone.")
        #expect(Texts.english.localized("{item} is back{place}.", ["item": "Keys", "place": ""]) == "Keys is back.")
    }

    @Test func `a value with braces stands as it is, and so does a placeholder without a value`() {
        #expect(
            german.localized("{item} is back{place}.", ["item": "{place}", "place": "{x"]) == "{place} ist wieder da{x."
        )
        #expect(german.localized("{item} is back{place}.", ["item": "Uhr"]) == "Uhr ist wieder da{place}.")
        #expect(german.localized("{item} {", ["item": "Uhr"]) == "Uhr {")
    }
}
