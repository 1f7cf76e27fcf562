import Fitness
import TestSupport
import Testing

@testable import Workouts

/// The energy of workouts, compared with vectors that were made independently.
@Suite(.timeLimit(.minutes(60))) struct EnergyVectorTests {
    @Test("energy by heart rate, before what the body takes at rest is left out")
    func keytel() throws {
        for vector in try Vector.of("keytel", in: "energy") {
            let rate = try #require(vector.arguments[0] as? Double)
            let energy = try vector.person(1).kilocalories(heartRate: rate, minutes: 1)
            #expect(near(energy, try #require(vector.expected as? Double), 0.001), Comment(rawValue: vector.name))
        }
    }

    @Test("what the body takes at rest is left out")
    func net() throws {
        for vector in try Vector.of("net", in: "energy") {
            let (gross, minutes) = (vector.arguments[0] as? Double, vector.arguments[1] as? Double)
            let energy = try vector.person(2).netKilocalories(gross: #require(gross), minutes: #require(minutes))
            #expect(near(energy, try #require(vector.expected as? Double), 0.001), Comment(rawValue: vector.name))
        }
        let person = Person(weightKilograms: 60)
        #expect(person.netKilocalories(gross: 5, minutes: 6) == 0)
        #expect(Person().netKilocalories(gross: 5, minutes: 1) == nil)
    }

    /// What is known of each minute, by the names of the vectors.
    private func energy(_ given: [String: Any], _ person: Person) throws -> (Double, EnergySource)? {
        func number(_ name: String) -> Double? { given[name] as? Double }
        let minutes = try #require(number("minutes"))
        if let stated = number("device_kcal") {
            let isNet = given["device_is_net"] as? Bool ?? false
            let net = person.netKilocalories(device: stated, minutes: minutes, isNet: isNet)
            if let net { return (net, .device) }
        }
        // Tables of activities without a speed are no part of this layer: only what is beyond rest is.
        if let equivalent = number("met") {
            let gross = person.kilocalories(metabolicEquivalent: equivalent, hours: minutes / 60)
            return person.netKilocalories(gross: try #require(gross), minutes: minutes).map { ($0, .activity) }
        }
        var minute = WorkoutMinute()
        if let rate = number("hr") {
            var mean = HeartMean()
            mean.add(Int(rate))
            for slot in 0..<HeldHeartRates.slotsInMinute { minute.heart.hold(mean, slot, isOwn: slot > 3) }
        }
        // Kilojoules are millions of watts times milliseconds.
        if let work = number("work_kj") { minute[work: 0].add(0..<60_000, Int64(work * 1e6 / minutes)) }
        if let speed = number("speed") {
            minute.path.add(0..<60_000, Int64(speed * 1000))
            minute.climb.add(0..<60_000, Int64(speed * 1000 * (number("grade") ?? 0)))
        }
        let activity = try #require(Activity(named: given["kind"] as? String ?? "cycling"))
        var (sum, source) = (0.0, EnergySource?.none)
        EnergyRules(activity, person).forEachPart(of: minute, minute.path, Share(), metres: 0) { part, energy in
            sum += energy * minutes
            source = part
        }
        return source.map { (sum, $0) }
    }

    @Test("a workout's energy is by the first source that is known, and beyond rest")
    func workouts() throws {
        for vector in try Vector.of("workout_energy", in: "energy") {
            let energy = try energy(vector.named(0), vector.person(1))
            let expected = try #require(vector.expected as? [Any])
            let source = (expected[1] as? String)?.replacing(" ", with: "-")
            #expect(energy?.1.rawValue == source, Comment(rawValue: vector.name))
            #expect(near(energy?.0, try #require(expected[0] as? Double), 0.001), Comment(rawValue: vector.name))
        }
    }

    @Test("of what a device states, only what can be is believed")
    func device() {
        let person = Person(weightKilograms: 60)
        #expect(person.netKilocalories(device: 1500, minutes: 60) == 1440)
        for stated in [1500.1, 0, -3, .nan] { #expect(person.netKilocalories(device: stated, minutes: 60) == nil) }
        // What the body takes at rest is not known, and not needed of what is net already.
        #expect(Person().netKilocalories(device: 100, minutes: 60) == nil)
        #expect(Person().netKilocalories(device: 100, minutes: 60, isNet: true) == 100)
    }
}
