import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals")
struct CommandLineTests {
    @Test(
        "explains itself, letter by letter",
        arguments: [
            ([], Golden.program), (["watch"], Golden.watch), (["read"], Golden.read),
            (["read", "steps"], Golden.steps),
            (["read", "temperature"], Golden.temperature), (["scan"], Golden.scan), (["connect"], Golden.connect),
            (["disconnect"], Golden.disconnect), (["forget"], Golden.forget), (["rename"], Golden.rename),
            (["sensors"], Golden.sensors), (["status"], Golden.status), (["sign-up"], Golden.signUp),
            (["setup"], Golden.setup), (["doctor"], Golden.doctor),
            (["sign-in"], Golden.signIn), (["devices"], Golden.devices), (["password", "reset"], Golden.passwordReset),
            (["profile", "set"], Golden.profileSet), (["enrol"], Golden.enrol), (["claim"], Golden.claim),
            (["phone", "add"], Golden.phoneAdd),
            (["export"], Golden.export), (["reset-all"], Golden.resetAll), (["today"], Golden.today),
            (["day"], Golden.day),
            (["week"], Golden.week), (["month"], Golden.month), (["year"], Golden.year),
            (["heart-rate"], Golden.heartRate),
            (["heart-rate", "delete"], Golden.heartRateDelete), (["goals", "set"], Golden.goalsSet),
            (["goals", "share"], Golden.goalsShare), (["workout"], Golden.workout),
            (["workout", "start"], Golden.workoutStart), (["workout", "goal"], Golden.workoutGoal),
            (["workout", "list"], Golden.workoutList), (["workout", "show"], Golden.workoutShow),
            (["workout", "load"], Golden.workoutLoad), (["workout", "set"], Golden.workoutSet),
            (["workout", "gear"], Golden.workoutGear), (["workout", "gear", "add"], Golden.workoutGearAdd),
            (["workout", "gear", "change"], Golden.workoutGearChange), (["workout", "plans"], Golden.workoutPlans),
            (["workout", "plans", "save"], Golden.workoutPlansSave), (["workout", "report"], Golden.workoutReport),
            (["train"], Golden.train), (["train", "offer"], Golden.trainOffer), (["goals", "calendar"], Golden.goalsCalendar), (["goals", "reached"], Golden.goalsReached),
            (["days", "recount"], Golden.daysRecount), (["heart-rate", "night"], Golden.heartRateNight),
            (["verify"], Golden.verify), (["friends"], Golden.friends),
            (["friends", "invite"], Golden.friendsInvite), (["cheer"], Golden.cheer),
            (["notifications"], Golden.notifications), (["quote"], Golden.quote), (["meals"], Golden.meals),
            (["meals", "log"], Golden.mealsLog),
            (["notifications", "confirm"], Golden.notificationsConfirm), (["completion"], Golden.completion),
            (["share"], Golden.share), (["share", "workout"], Golden.shareWorkout),
        ])
    func help(command: [String], text: String) throws {
        let outcome = try Program(command + ["--help"]).finish()
        #expect(outcome.output == text)
        #expect(outcome.errors == "")
        #expect(outcome.status == 0)
    }

    @Test("says its version")
    func version() throws {
        let outcome = try Program.run("--version")
        #expect(outcome.output.wholeMatch(of: /vitals \d+\.\d+\.\d+\n/) != nil)
        #expect(outcome.status == 0)
    }

    @Test(
        "refuses a wrong command line, and says what would be right",
        arguments: [
            (["friends", "add"], #"unknown command "add"; did you mean invite?"#, "vitals friends"),
            (["report"], #"unknown command "report"; did you mean workout report?"#, "vitals"),
            (["wach"], #"unknown command "wach"; did you mean watch?"#, "vitals"),
            (["read"], "which command? There are steps, temperature", "vitals read"),
            (["days"], "which command? There is recount", "vitals days"),
            (["watch", "--cuont", "1"], #"unknown option "--cuont"; did you mean --count?"#, "vitals watch"),
            (["watch", "--count", "0"], "--count: expected ", "vitals watch"),
            (["status", "--port", "0"], "--port: expected an integer", "vitals status"),
            (["status", "strap"], #"unexpected "strap""#, "vitals status"),
            (["sensors", "--gateway", "a/b"], "--gateway: expected an id", "vitals sensors"),
            (["sensors", "--protocol", "mqtt4"], "--protocol: expected ", "vitals sensors"),
            (["scan", "--seconds", "255"], "--seconds: expected an integer", "vitals scan"),
            (["scan", "--service", "hart-rate"], "--service: expected a name such as heart-rate", "vitals scan"),
            (["scan", "--all", "--service", "heart-rate"], "--all: cannot be combined with --service", "vitals scan"),
            (["connect"], "DEVICE", "vitals connect"),
            (["connect", "Polar H10", "--sensor", "Polar"], "--sensor: expected an id", "vitals connect"),
            (["rename", "strap"], "NAME", "vitals rename"),
            (["week", "21.11."], "DAY: expected a day such as 2026-11-21, or last", "vitals week"),
            (["day", "21.11."], "DATE: expected a day such as 2026-11-21, or yesterday, found 21.11.", "vitals day"),
            (["week", "2026-11-31"], "DAY: expected a day", "vitals week"),
            (["month", "2026-13"], "MONTH: expected a month such as 2026-11, or last", "vitals month"),
            (["year", "26"], "YEAR: expected an integer", "vitals year"),
            (["month", "--of", "sleep"], "--of: expected ", "vitals month"),
            (["sensors", "--timeout", "soon"], "--timeout: expected a duration", "vitals sensors"),
        ])
    func usage(arguments: [String], problem: String, path: String) throws {
        let outcome = try Program(arguments).finish()
        #expect(outcome.errors.hasPrefix("vitals: \(problem)"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("\nsee \(path) --help\n"), "\(outcome.errors)")
        #expect(outcome.output == "")
        #expect(outcome.status == 64)
    }

    @Test(
        "says that no broker is there, and what to check",
        arguments: [["read", "steps"], ["sensors"], ["status"], ["watch", "--timeout", "0.5"]])
    func noBroker(command: [String]) throws {
        let port = try freePort()
        let outcome = try Program(["--port", "\(port)"] + command).finish()
        #expect(
            outcome.errors.hasSuffix(
                """
                vitals: cannot connect to 127.0.0.1:\(port): connection refused
                is mosquitto running there? systemctl status mosquitto

                """), "\(outcome.errors)")
        #expect(outcome.status == 69)
    }

    @Test("says that the broker does not let it in", arguments: [["status"], ["watch"]])
    func notLetIn(command: [String]) throws {
        let broker = try Broker.home(allowsAnonymous: false)
        try broker.start()
        defer { broker.stop() }
        let outcome = try Program(["--port", "\(broker.port)"] + command).finish()
        #expect(outcome.errors.contains("not authorized"), "\(outcome.errors)")
        #expect(outcome.status == 77)
    }

    @Test("finds the broker by the environment, which gives way to the command line and comes before the settings file")
    func environment() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let file = try broker.folder.write("{ broker: { host: '192.0.2.1', port: 1 } }", to: "my.json5")
            let variables = ["VITALS_HOST": "127.0.0.1", "VITALS_PORT": "\(broker.port)"]
            let found = try Program.run("--settings", file, "status", environment: variables)
            #expect(found.lines.first == "Gateway       home", "\(found)")
            let port = try freePort()
            let elsewhere = try Program.run("--port", "\(port)", "status", environment: variables)
            #expect(elsewhere.status == 69 && elsewhere.errors.contains("127.0.0.1:\(port)"), "\(elsewhere)")
            let wrong = try Program.run("status", environment: ["VITALS_PORT": "MQTT"])
            #expect(
                wrong.status == 64 && wrong.errors.hasPrefix("vitals: VITALS_PORT: expected an integer"), "\(wrong)")
        }
    }

    @Test("tells programs of its errors and notes in JSON")
    func json() throws {
        let port = try freePort()
        let outcome = try Program.run("--port", "\(port)", "--json", "watch", "--timeout", "0.5")
        let lines = outcome.errors.split(separator: "\n").map { try? JSON(payload: Array($0.utf8)) }
        #expect(lines.first??["note"] != nil && !lines.contains { $0 == nil }, "\(outcome.errors)")
        let last: JSON? = lines.last ?? nil
        let error = try #require(last)
        #expect(error["code"] == "unavailable" && error["exit_code"] == 69, "\(error)")
        #expect(error["message"] == .string("cannot connect to 127.0.0.1:\(port): connection refused"), "\(error)")
    }

    @Test("logs in with a name and a password")
    func password() throws {
        let broker = try Broker.home(allowsAnonymous: false)
        try broker.start()
        defer { broker.stop() }
        let outcome = try Program.run(
            "--port", "\(broker.port)", "--username", "consumer", "--password-file",
            broker.folder.path("consumer.password"), "status")
        #expect(outcome.errors.contains("there is no gateway"), "\(outcome.errors)")
    }
}

@Suite("The settings file of vitals")
struct SettingsFileTests {
    @Test("is the one that was named")
    func named() throws {
        try withHousehold(root: "house/v1") { broker, gateway, _ in
            try gateway.appear()
            try gateway.appear("cabin")
            try broker.folder.write(
                "{ broker: { port: \(broker.port), client_id: 'me' }, root: 'house/v1', gateway: 'cabin' }",
                to: "my.json5")
            let outcome = try Program.run("--settings", broker.folder.path("my.json5"), "sensors", "--json")
            #expect(outcome.output == "{\"gateway\":\"cabin\",\"sensor\":\"strap\",\"state\":\"online\"}\n")
            // The id of its own, and something to tell it from the next one.
            #expect(broker.log.contains(/as me-[0-9a-f]{12}\b/))
        }
    }

    @Test("counts less than the command line")
    func overridden() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try broker.folder.write(
                "{ broker: { host: '192.0.2.1', port: 1, protocol: 'mqtt5' }, gateway: 'cabin' }", to: "my.json5")
            let outcome = try Program.run(
                "--settings", broker.folder.path("my.json5"), "--host", "127.0.0.1", "--port", "\(broker.port)",
                "--gateway", "home", "--protocol", "mqtt3.1.1", "status")
            #expect(outcome.lines.contains("Broker        127.0.0.1:\(broker.port) (MQTT 3.1.1)"), "\(outcome)")
        }
    }

    @Test("is otherwise looked for where settings usually are", arguments: ["XDG_CONFIG_HOME", "HOME"])
    func usual(variable: String) throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let folder = variable == "HOME" ? ".config/vitals" : "vitals"
            try FileManager.default.createDirectory(
                atPath: broker.folder.path(folder), withIntermediateDirectories: true)
            try broker.folder.write("{ broker: { port: \(broker.port) } }", to: "\(folder)/vitals.json5")
            let outcome = try Program.run("status", environment: [variable: broker.folder.path])
            #expect(outcome.lines.first == "Gateway       home")
        }
    }

    @Test("is shown by an example that works, if it is not a settings file at all")
    func example() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let file = try broker.folder.write("[]", to: "my.json5")
            let wrong = try Program.run("--settings", file, "status")
            #expect(wrong.status == 78 && wrong.errors.contains("expected an object, found an array\n"), "\(wrong)")
            let example = try #require(wrong.errors.split(separator: " looks like ").last)
            try broker.folder.write(String(example), to: "my.json5")
            #expect(try Program.run("--settings", file, "--port", "\(broker.port)", "status").status == 0)
        }
    }

    @Test("has to exist if it was named")
    func missing() throws {
        let outcome = try Program.run("--settings", "/nowhere/my.json5", "status")
        #expect(outcome.errors.hasPrefix("vitals: /nowhere/my.json5: cannot be read"), "\(outcome.errors)")
        #expect(outcome.status == 78)
    }

    @Test("must not hold anything that nobody asks for")
    func unknownKey() throws {
        let broker = try Broker.home()
        try broker.start()
        defer { broker.stop() }
        try broker.folder.write("{ borker: {} }", to: "my.json5")
        let outcome = try Program.run("--settings", broker.folder.path("my.json5"), "status")
        #expect(outcome.errors.contains(#"borker: unknown key; did you mean "broker"?"#))
        #expect(outcome.status == 78)
    }
}
