import Linux
import Messages

/// Prints the findings, one per line or all as one JSON array; returns the status of the worst.
package func report(_ findings: [Finding], asJSON: Bool) -> ExitStatus {
    if asJSON {
        printJSON(jsonArray(findings) { $0.write(to: &$1) })
    } else {
        let width = findings.map(\.subject.count).max() ?? 0
        for finding in findings {
            let padding = String(repeating: " ", count: width - finding.subject.count)
            printLine(finding.verdict.mark + StyledLine("  \(finding.subject)\(padding)  \(finding.sentence)"))
        }
    }
    return findings.contains { $0.verdict == .failed } ? .unavailable : .right
}

extension Finding.Verdict {
    /// The mark at the beginning of a line: of fixed width, and coloured on a terminal.
    fileprivate var mark: StyledLine {
        switch self {
        case .passed: StyledLine("passed", .green)
        case .failed: StyledLine("FAILED", .red)
        case .skipped: StyledLine("-     ")
        }
    }
}
