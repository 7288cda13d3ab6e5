/// The version of both programs, as in `info` and `--version`.
public let version = "0.1.0"
