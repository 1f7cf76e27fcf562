import Telemetry
import TestSupport
import Testing

@Suite("vitals guardians, dependents, areas and alerts", .timeLimit(.minutes(60)))
struct GuardianCommandTests {
    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer(
            "guardians/list",
            [
                "code_set": 1_795_261_361_000,
                "guardians": [
                    [
                        "guardian": "grace-1", "name": "Grace", "since": 1_795_261_361_000, "location": true,
                        "motion": false,
                        "heart_rate": false, "looked": [["day": "2026-11-21", "times": 2]],
                    ],
                    ["guardian": "eve-1", "blocked": true],
                ],
            ])
        consumer.answer(
            "dependents/list",
            [
                "chosen": "otto-1",
                "dependents": [
                    [
                        "dependent": "otto-1", "name": "Otto", "since": 0, "location": true, "motion": true,
                        "heart_rate": false, "state": "walking", "battery_percent": 79,
                        "position": [
                            "time": 1_795_261_361_000, "lat": .number(52.5), "lon": .number(13.4), "accuracy_m": 8,
                        ],
                    ],
                    [
                        "dependent": "eva-1", "name": "Eva", "since": 0, "location": false, "motion": false,
                        "heart_rate": false,
                    ],
                ],
            ])
        return consumer
    }

    @Test("one's own place is shown with its age, its area and the motion, and said where it is not recorded")
    func place() throws {
        let consumer = try signedIn()
        consumer.answer(
            "place/get",
            [
                "position": ["time": 1_795_261_361_000, "lat": .number(52.5), "lon": .number(13.4), "accuracy_m": 8],
                "area": "Garden", "state": "still", "since": 1_795_261_300_000, "exercise_min": 42, "age_s": 7300,
                "recorded": true, "published": false,
            ])
        let own = try consumer.vitals("place")
        #expect(own.status == 0 && own.output.contains("2 h ago") && own.output.contains("52.5,13.4 ±8 m"), "\(own)")
        #expect(own.output.contains("Garden") && own.output.contains("still since 2026-11-21"), "\(own)")
        #expect(own.output.contains("42 min today") && own.errors.isEmpty, "\(own)")
        #expect(try consumer.last().fields == [:])
        _ = try consumer.vitals("place", "--of", "me")
        #expect(try consumer.last().fields == ["dependent": .null])
        consumer.answer("place/get", ["recorded": false, "published": false])
        let none = try consumer.vitals("place")
        #expect(none.errors.contains("consent --record-location on") && none.errors.contains("phone add"), "\(none)")
        consumer.answer("place/publish", ["published": true])
        #expect(try consumer.vitals("place", "publish", "on").output == "your place is on your topic place\n")
        #expect(try consumer.last().fields == ["published": true])
        #expect(try consumer.vitals("place", "publish", "maybe").status == 64)
    }

    @Test("a dependent's place says whose it is, how one gets back, and what they do not show")
    func dependentsPlace() throws {
        let consumer = try signedIn()
        consumer.answer(
            "place/get",
            ["dependent": "otto-1", "name": "Otto", "state": "walking", "exercise_min": 5, "not_shown": ["location"]])
        let place = try consumer.vitals("place", "--of", "ot")
        #expect(try consumer.last().fields == ["dependent": "otto-1"])
        #expect(place.output.contains("walking") && !place.output.contains("Seen"), "\(place)")
        #expect(place.errors.contains("looking at Otto; back with: ") && place.errors.contains("dependents choose me"), "\(place)")
        #expect(place.errors.contains("Otto does not show you: location"), "\(place)")
    }

    @Test("while one looks at a dependent, days say that they are one's own, and how one gets back; programs are told nothing")
    func lookingAt() throws {
        let consumer = try signedIn()
        consumer.answer("statistics/today", ["day": "2026-11-21", "steps": 8042])
        #expect(try consumer.vitals("today").errors.isEmpty)
        consumer.keep("vitals/v1/users/ada/chosen-dependent", ["dependent": "otto-1", "name": "Otto"])
        let today = try consumer.vitals("today")
        #expect(today.status == 0 && today.output.contains("8,042"), "\(today)")
        #expect(today.errors.contains("you are looking at Otto: ") && today.errors.contains("dependents choose me"), "\(today)")
        #expect(try consumer.vitals("today", "--json").errors.isEmpty)
        consumer.answer("dependents/today", ["day": "2026-11-21", "steps": 4210, "distance_m": 3100])
        let seen = try consumer.vitals("today")
        #expect(seen.errors.contains("looking at Otto (today 4,210 steps, 3.10 km): "), "\(seen)")
        #expect(consumer.requests.all.last { $0.name == "dependents/today" }?.fields == ["dependent": "otto-1"])
    }

    @Test("a dependent sees who watches over them and when they have looked, and says what each may see")
    func guardians() throws {
        let consumer = try signedIn()
        let list = try consumer.vitals("guardians")
        #expect(list.status == 0 && list.output.contains("Grace") && list.output.contains("location"), "\(list)")
        #expect(list.output.contains("2026-11-21") && list.output.contains("blocked"), "\(list)")
        #expect(list.errors.contains("your verification code is set on 2026-11-21"), "\(list)")
        consumer.answer(
            "guardians/allow", ["guardian": "grace-1", "location": false, "motion": true, "heart_rate": true])
        let allowed = try consumer.vitals("guardians", "allow", "gra", "--location", "off", "--heart-rate", "on")
        #expect(allowed.output == "Grace sees motion, heart-rate\n", "\(allowed)")
        #expect(try consumer.last().fields == ["guardian": "grace-1", "heart_rate": true, "location": false])
        let nothing = try consumer.vitals("guardians", "allow", "grace")
        #expect(nothing.status == 64 && nothing.errors.contains("--location is missing: it, --motion, --steps or --heart-rate"), "\(nothing)")
        let nobody = try consumer.vitals("guardians", "remove", "bob", "--yes")
        #expect(nobody.status == 67 && nobody.errors.contains("you can name Grace"), "\(nobody)")
        consumer.answer("guardians/remove", [:])
        #expect(try consumer.vitals("guardians", "remove", "Grace", "--yes").output == "Grace is removed\n")
        consumer.answer("guardians/help", ["told": 1])
        #expect(try consumer.vitals("guardians", "help", "bus", "stop").output == "told: 1 guardian\n")
        #expect(try consumer.last().fields == ["text": "bus stop"])
    }

    @Test("the code comes from a file, or is removed; it is never on the command line")
    func code() throws {
        let consumer = try signedIn()
        try consumer.home.write("482915\n", to: "code")
        consumer.answer("guardians/code", [:])
        #expect(try consumer.vitals("guardians", "code", "--code-file", consumer.home.path("code")).status == 0)
        #expect(try consumer.last().fields == ["code": "482915"])
        for (whom, field) in [("grace@example.org", "email"), ("+49 151 23456789", "phone")] {
            let file = consumer.home.path("code")
            #expect(try consumer.vitals("guardians", "code", "--code-file", file, "--for", whom).status == 0)
            #expect(try consumer.last().fields == ["code": "482915", field: .string(whom)])
        }
        #expect(try consumer.vitals("guardians", "code", "--remove", "--for", "grace@example.org").status == 64)
        consumer.answer(
            "guardians/list", ["code_set": 1_795_261_361_000, "code_for": "grace@example.org", "guardians": []])
        let list = try consumer.vitals("guardians")
        #expect(
            list.errors.contains("your verification code is set on 2026-11-21, for grace@example.org alone"), "\(list)")
        #expect(try consumer.vitals("guardians", "code", "--remove").status == 0)
        #expect(try consumer.last().fields == ["code": .null])
        #expect(try consumer.vitals("guardians", "code", "482915").status == 64)
        consumer.answer("dependents/connect", ["dependent": "otto-1", "name": "Otto"])
        let made = try consumer.vitals(
            "dependents", "connect", "+49 151 23456789", "--code-file", consumer.home.path("code"))
        #expect(made.output == "you watch over Otto now\n", "\(made)")
        #expect(try consumer.last().fields == ["code": "482915", "phone": "+49 151 23456789"])
    }

    @Test("a guardian sees where dependents are, has phones asked, and draws a day")
    func dependents() throws {
        let consumer = try signedIn()
        let list = try consumer.vitals("dependents")
        #expect(list.output.contains("* Otto") && list.output.contains("52.5,13.4 ±8 m"), "\(list)")
        #expect(list.output.contains("not allowed") && list.output.contains("79 %"), "\(list)")
        consumer.answer("dependents/locate", ["asked": 0])
        #expect(try consumer.vitals("dependents", "locate", "otto").output == "Otto has no phone that could be asked\n")
        consumer.answer("dependents/choose", [:])
        #expect(try consumer.vitals("dependents", "choose", "me").output == "your programs show yourself\n")
        #expect(try consumer.last().fields == ["dependent": .null])
        let points: [JSON] = (0..<20).map { index in
            [.integer(1_795_261_361_000 + Int64(index) * 60_000), .number(52.5 + Double(index) / 1000), .number(13.4)]
        }
        consumer.answer("dependents/day", ["day": "2026-11-21", "points": .array(points), "exercise_min": 12])
        let day = try consumer.vitals("dependents", "day", "otto", "2026-11-21")
        #expect(day.output.hasPrefix("Otto, 2026-11-21\nfrom ") && day.output.contains("12 min of exercise"), "\(day)")
        #expect(try consumer.last().fields == ["day": "2026-11-21", "dependent": "otto-1"])
        consumer.answer("dependents/day", ["day": "2026-11-20", "points": []])
        #expect(try consumer.vitals("dependents", "day", "otto").output.hasPrefix("nothing is known of where Otto was"))
    }

    @Test("a day is drawn as a map: the way to the north and then to the east, from the mark on")
    func map() throws {
        let consumer = try signedIn()
        let north: [(Double, Double)] = (0...10).map { (52.5 + Double($0) * 0.0005, 13.4) }
        let east: [(Double, Double)] = (1...10).map { (52.505, 13.4 + Double($0) * 0.0016) }
        let points = (north + east).enumerated().map { index, place -> JSON in
            [.integer(1_795_248_000_000 + Int64(index) * 60_000), .number(place.0), .number(place.1)]
        }
        consumer.answer("dependents/day", ["day": "2026-11-21", "points": .array(points)])
        for (locale, drawing) in [("C.UTF-8", Self.dots), ("C", Self.signs)] {
            let day = try consumer.vitals(
                "dependents", "day", "otto", "2026-11-21", environment: ["COLUMNS": "30", "LC_ALL": locale])
            #expect(
                day.output == """
                    Otto, 2026-11-21
                    from 2026-11-21 08:00:00 to 2026-11-21 08:20:00; north at the top
                    \(drawing)

                    """, "\(day)")
        }
    }

    @Test("areas and alerts are set up by their words, and what is wrong is said with the option")
    func rules() throws {
        let consumer = try signedIn()
        let circle: JSON = ["lat": .number(52.5), "lon": .number(13.4), "radius_m": 200]
        consumer.answer(
            "areas/set",
            [
                "area": "a-1", "dependent": "otto-1", "name": "Garden", "circle": circle, "leave": true, "enter": false,
                "enabled": true,
            ])
        let set = try consumer.vitals(
            "areas", "set", "otto", "--name", "Garden", "--circle", "52.5,13.4,200", "--escalate", "5")
        #expect(set.output == "the area Garden is watched: leaving\n", "\(set)")
        let asked = try consumer.last().fields
        #expect(asked["name"] == "Garden" && asked["escalate_min"] == 5 && asked["dependent"] == "otto-1")
        #expect(asked["circle"]?["radius_m"] != nil && asked["polygon"] == nil)
        let wrong = try consumer.vitals("areas", "set", "otto", "--name", "Garden", "--circle", "here")
        #expect(
            wrong.status == 64 && wrong.errors.contains("--circle: expected latitude, longitude and metres"), "\(wrong)"
        )
        consumer.answer(
            "alerts/set", ["alert": "r-1", "dependent": "otto-1", "kind": "silence", "minutes": 60, "enabled": true])
        #expect(
            try consumer.vitals("alerts", "set", "otto", "silence", "--minutes", "60").output
                == "silence is watched: for 60 min\n")
        consumer.answer(
            "alerts/list",
            [
                "rules": [["alert": "r-1", "dependent": "otto-1", "kind": "battery", "below": 15, "enabled": true]],
                "alerts": [
                    [
                        "alert": "x-1", "dependent": "otto-1", "kind": "left-area", "time": 1_795_261_361_000,
                        "text": "Otto left Home.",
                    ]
                ],
            ])
        let list = try consumer.vitals("alerts")
        #expect(
            list.output.contains("below 15") && list.output.contains("Otto left Home.") && list.output.contains("open"),
            "\(list)")
        consumer.answer("alerts/confirm", [:])
        #expect(try consumer.vitals("alerts", "confirm", "x-1").output == "confirmed: nobody else is told of it\n")
    }

    private static let dots = """
        ⡏⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
        ⡇
        ⡇
        ⡇
        ⡇
        ⡇
        ⡇
        ⡇
        ⡇
        ⡇
        ●
        """
    private static let signs = """
        ****************************************
        *
        *
        *
        *
        *
        *
        *
        *
        *
        o
        """
}
