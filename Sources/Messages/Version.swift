/// The version of both programs, as `info` and `--version` say it.
public let version = "0.1.0"
