import Glibc

// BlueZProbe radio ADAPTER [interface=auto] [interval_ms=60] [window_ms=60] [active]
// BlueZProbe transmit ADAPTER MAJOR MINOR [interval_ms=100]
// BlueZProbe report ADAPTER
//
// Commands on standard input, one per line: prove, restart, reset_counts, deaf MILLISECONDS, quit.
signal(SIGPIPE, SIG_IGN)
let arguments = Arguments(CommandLine.arguments)
switch arguments.verb {
case "radio":
    var probe = RadioProbe(arguments)
    probe.run()
case "transmit":
    var probe = TransmitProbe(arguments)
    probe.run()
case "report": printReport(arguments.adapter)
default:
    printNow("usage: BlueZProbe radio|transmit|report ADAPTER [key=value ...]")
    exit(64)
}
