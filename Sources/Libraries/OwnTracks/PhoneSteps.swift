public import Telemetry

/// What a phone's pedometer has counted: `{"_type":"steps",…}`, on the topic `…/step`. Only iOS sends it, and only as
/// the answer to the command `reportSteps`.
public struct PhoneSteps: Hashable, Sendable {
    /// Steps between `from` and `to`; nil if the phone does not count any, or kept none of that time.
    public var steps: Int64?
    /// The beginning of the time in which they were counted, in Unix milliseconds.
    public var from: Int64
    /// Its end.
    public var to: Int64
    /// When the phone was asked (`tst`), in Unix milliseconds.
    public var time: Int64?
    /// The way that was walked, in metres (`distance`; the booklet does not have it).
    public var distanceMetres: Double?
    /// Floors that were climbed (`floorsup`; the booklet does not have it).
    public var floorsUp: Int64?
    /// Floors that were descended (`floorsdown`; the booklet does not have it).
    public var floorsDown: Int64?

    /// Steps of a time, in Unix milliseconds.
    public init(_ steps: Int64?, from: Int64, to: Int64) {
        self.steps = steps
        self.from = from
        self.to = to
    }
}

extension PhoneSteps {
    /// Two million steps a week are more than anybody makes, and a pedometer keeps a week.
    private static let most: Int64 = 2_000_000

    init(_ object: JSON) throws(OwnTracksError) {
        let fields = try Fields(object, "read steps")
        let steps = try fields.require("steps", try fields.whole("steps", in: -1...Self.most))
        let from = try fields.require("from", try fields.time("from"))
        let to = try fields.require("to", try fields.time("to"))
        guard from <= to else { throw fields.error(.outOfRange, "to", "is before \"from\"") }
        self.init(steps < 0 ? nil : steps, from: from, to: to)
        time = try fields.time("tst")
        distanceMetres = try fields.numberIfKnown("distance", upTo: PhoneLocation.farthestMetres)
        floorsUp = try fields.whole("floorsup", in: 0...Self.most)
        floorsDown = try fields.whole("floorsdown", in: 0...Self.most)
    }

    /// The message as the app writes it; what is nil is left out, but for the steps, which are then -1.
    public var json: JSON {
        var members = Members(of: .steps)
        members.add("steps", whole: steps ?? -1)
        members.add("from", time: from)
        members.add("to", time: to)
        members.add("tst", time: time)
        members.add("distance", number: distanceMetres)
        members.add("floorsup", whole: floorsUp)
        members.add("floorsdown", whole: floorsDown)
        return members.json
    }

    /// The message as it is published.
    public var bytes: [UInt8] { json.bytes }
}
