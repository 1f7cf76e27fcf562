/// The version of all programs of this package, as `--version` and a gateway's `info` topic say it.
public let version = "0.1.0"
