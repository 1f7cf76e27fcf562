public import Telemetry

/// Random numbers that are the same for the same seed.
public typealias SeededGenerator = SplitMix64
