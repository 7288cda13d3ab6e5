/// The word that `word` was probably meant to be; `nil` if no word is near.
///
/// A word is near if it differs in case or hyphens, or in at most one letter of three (two letters at most). A word is
/// also near if it begins with `word` or `word` begins with it.
package func nearest(to word: String, among words: some Sequence<String>) -> String? {
    let plain = folded(word)
    guard plain.count <= 64 else { return nil }
    let limit = min(2, max(1, plain.count / 3))
    var best: (word: String, distance: Int)?
    for candidate in words {
        let other = folded(candidate)
        var distance = editDistance(plain, other)
        if plain.count >= 3, other.starts(with: plain) || plain.starts(with: other) { distance = min(distance, limit) }
        if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.word
}

/// The sentence that asks whether the nearest of `words` was meant; `nil` if no word is near.
package func didYouMean(_ word: String, among words: some Sequence<String>) -> String? {
    nearest(to: word, among: words).map { "did you mean \"\($0)\"?" }
}

private func folded(_ word: String) -> [UInt8] {
    word.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
}

/// The number of letters to insert, remove, replace or swap with a neighbour to convert one word into the other.
package func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        for column in right.indices {
            let isSame = left[row] == right[column]
            var distance = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                distance = min(distance, beforeLast[column - 1] + 1)
            }
            current.append(distance)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}
