import Telemetry
import TestSupport
import Testing

@Suite("vitals profile, for people who read feet and pounds", .timeLimit(.minutes(60)))
struct ProfileUnitsTests {
    @Test("the profile shows weight and height in the person's units, and takes them in any")
    func profile() throws {
        let consumer = try ScriptedConsumer.imperial()
        #expect(
            try consumer.printed("profile") == """
                Name    Ada
                Weight  135.6 lb
                Height  5 ft 6 in
                Units   imperial
                BMI     21.8

                """)
        #expect(
            try JSON(payload: Array(consumer.printed("profile", "--json").dropLast().utf8))
                == JSON(payload: ScriptedConsumer.imperialProfile.bytes))
        consumer.answer("profile/set", ["message": "Data Saved Successfully", "profile": [:]])
        for (words, weight, height) in [
            (["--weight", "180lb"], 81.6466266, 168), (["--weight", "61,5 kg"], 61.5, 168),
            (["--height", "5ft11in"], 61.5, 180.34), (["--height", "5'11\""], 61.5, 180.34),
            (["--height", "6 ft"], 61.5, 182.88), (["--height", "1.7m"], 61.5, 170),
            (["--height", "70in", "--weight", "150 lbs"], 68.0388555, 177.8), (["--height-cm", "165"], 61.5, 165),
        ] as [([String], Double, Double)] {
            #expect(try consumer.vitals(["profile", "set"] + words).status == 0)
            let fields = try consumer.last().fields
            let close = { (name: String, value: Double) in
                switch fields[name] {
                case .number(let number)?: abs(number - value) < 1e-6
                case .integer(let whole)?: Double(whole) == value
                default: false
                }
            }
            #expect(close("weight_kg", weight) && close("height_cm", height), "\(words): \(fields)")
        }
    }

    @Test(
        "a weight or a height that is none is refused before anything is asked",
        arguments: [
            (["--weight", "180"], "--weight: expected a weight such as 61.5 kg, from 2.0 kg to 500.0 kg, or a weight"),
            (["--weight", "5000lb"], "--weight: expected"), (["--weight", "-70kg"], "--weight: expected"),
            (["--weight", "nankg"], "--weight: expected"), (["--height", "6"], "--height: expected a height such as"),
            (["--height", "5ft12in"], "--height: expected"), (["--height", "5ft6ft"], "--height: expected"),
            (["--height", "20ft"], "--height: expected"), (["--height", "ft"], "--height: expected"),
            (["--weight", "61kg", "--weight-kg", "61"], "--weight: cannot be combined with --weight-kg"),
        ])
    func refused(words: [String], problem: String) throws {
        let consumer = try ScriptedConsumer.imperial()
        let outcome = try consumer.vitals(["profile", "set"] + words)
        #expect(outcome.status == 64 && outcome.errors.hasPrefix("vitals: \(problem)"), "\(outcome)")
        #expect(consumer.profilesAsked == 0)
    }

    @Test("the profile is edited in the person's units")
    func edited() throws {
        let consumer = try ScriptedConsumer.imperial()
        consumer.answer("profile/set", ["message": "Data Saved Successfully", "profile": [:]])
        let edited = try consumer.terminal(
            "profile edit",
            [
                ("Name [Ada]:", ""), ("Date of birth", "1985-12-10"), ("Gender", "female"),
                ("Weight [135.6 lb]:", "heavy"),
                ("a weight such as 135 lb, from 4.4 lb to 1,102.3 lb, please:", "140"),
                ("Height [5 ft 6 in]:", "67"),
                ("a height such as 5 ft 6 in, from 1 ft 4 in to 9 ft 0 in, please:", ""), ("Voice", ""),
                ("Continuous", ""), ("Time zone", ""), ("Language", ""), ("Units", ""), ("Save? [Y/n]", ""),
            ])
        #expect(edited.status == 0, "\(edited)")
        let fields = try consumer.last().fields
        #expect(fields["height_cm"] == 168 && fields["weight_kg"] == .number(140 * 0.45359237), "\(fields)")
    }
}
