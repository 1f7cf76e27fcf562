import Telemetry
import Whereabouts

/// A rule, with what it knows.
struct WatchedRule {
    var rule: WatchRule
    /// Of an area.
    var watch: AreaWatch
    /// Of a range of heart rates.
    var heartRates: HeartRateRangeWatch?
    /// What is stored of what it knows.
    var stored: JSON
    /// Of an area: the time of the latest position of each source that was looked at in this run.
    var judged: [String: Int64] = [:]

    init(_ rule: WatchRule) {
        (self.rule, stored) = (rule, rule.state)
        watch = AreaWatch(kept: rule.state) ?? AreaWatch()
        if case .heartRate(var watch) = rule.kind {
            watch.restore(rule.state)
            heartRates = watch
        }
    }

    /// Whether a rule, as it is kept, is the one that this knows something of.
    func isSame(as kept: WatchRule) -> Bool {
        rule.id == kept.id && rule.begin == kept.begin && rule.json == kept.json
    }

    /// The rule, with what it knows now.
    var current: WatchRule {
        var rule = rule
        if rule.area != nil { rule.state = watch.json }
        if let heartRates { rule.state = heartRates.state }
        return rule
    }
}
