import Files
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing
import Workouts

@testable import Exercise
@testable import Features
@testable import Posts
@testable import vitals_consumer

@Suite("Posts that show a workout", .timeLimit(.minutes(60)))
struct PostWorkoutTests {
    /// A run that is over, with figures as they were counted.
    private func run(
        _ circle: Circle, _ user: ID, _ name: String, metres: Int64 = 9000, from: Int64 = start - 3_600_000
    ) throws {
        try circle.onSession { context in
            var run = try KeptWorkout(id: ID(name), .running, goal: nil, endsAtGoal: false, start: from)
            try run.end(at: from + 1_850_000, because: .person)
            run.figures = [
                "started": .integer(from), "duration_s": 1850, "distance_m": .integer(metres), "energy_kcal": 412,
                "speed_mps": ["mean": .number(4.865), "pace": "3:26"], "heart_rate": ["mean": 151, "max": 180], "steps": 4800,
                "name": "Past the school",
            ]
            try context.store.change(user) { () throws(VaultError) in
                try WorkoutRows(context.store, context.keys).write(run, of: user)
            }
        }
    }

    private func shown(_ circle: Circle, _ user: ID) throws -> JSON? {
        try elements(circle.done(user, "posts/list"), "posts").first?["workout"]
    }

    @Test("have the workout's own figures as they are now, and no more of it than its person shows")
    func figures() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            try run(circle, ada, "run")
            let posted = try circle.done(ada, "posts/add", ["workout": "run", "friends": true, "text": "Look"])
            #expect(
                posted["workouts"] == nil && posted["duration_s"] == nil && posted["workout"]?["id"] == "run",
                "\(posted)")
            let seen = try #require(try shown(circle, bob))
            let expected: JSON = [
                "activity": "running", "day": "2026-11-21", "duration_s": 1850, "distance_m": 9000, "energy_kcal": 412, "steps": 4800,
                "speed_mps": .number(4.865), "pace": "3:26", "way": false,
            ]
            #expect(Set(seen.members) == Set(expected.members), "\(seen)")
            // It is counted again.
            try run(circle, ada, "run", metres: 8960)
            // To the metre, it would say how long what is hidden is.
            #expect(try shown(circle, bob)?["distance_m"] == 9000 && shown(circle, bob)?["speed_mps"] == .number(4.865))
            try run(circle, ada, "run", metres: 8920)
            #expect(try shown(circle, bob)?["distance_m"] == 8900 && shown(circle, bob)?["pace"] == "3:28")
            circle.advance(1)
            try circle.done(ada, "posts/add", ["workout": "run", "friends": true, "way": true, "heart_rate": true])
            let more = try #require(try shown(circle, bob))
            // To the second, it would say how long what is hidden is.
            #expect(more["heart_rate"] == 151 && more["way"] == true && more["duration_s"] == 1860, "\(more)")
            #expect(more["steps"] == nil && more["energy_kcal"] == 410 && more["speed_mps"] == .number(4.785), "\(more)")
        }
    }

    @Test("are refused of others' workouts, and of one that is under way; only a workout has a way to show")
    func refused() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            try run(circle, ada, "run")
            try circle.onSession { context in
                let later = try KeptWorkout(id: ID("later"), .running, goal: nil, endsAtGoal: false, start: start)
                try context.store.change(ada) { () throws(VaultError) in
                    try WorkoutRows(context.store, context.keys).write(later, of: ada)
                }
            }
            let fields: JSON = ["workout": "run", "friends": true]
            #expect(try circle.refused(bob, "posts/add", fields).field == "workout")
            #expect(try circle.refused(ada, "posts/add", ["workout": "later", "friends": true]).field == "workout")
            #expect(try circle.refused(ada, "posts/add", ["way": true, "friends": true]).field == "workout")
            #expect(try circle.refused(ada, "posts/add", ["workout": "run"]).field == "friends")
            // What was refused does not count.
            for _ in 0..<10 { try circle.done(ada, "posts/add", fields) }
            #expect(try circle.refused(ada, "posts/add", fields).code == .rateLimited)
        }
    }

    @Test("go with the workout, with their thumbs and comments, and those who have seen them are told")
    func deleted() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            try run(circle, ada, "run")
            try run(circle, ada, "other", from: start - 9_000_000)
            let posted = try circle.done(ada, "posts/add", ["workout": "run", "friends": true])
            let id = try #require(posted["post"])
            #expect(try circle.next(bob, "posts")?["post"] == id)
            try circle.done(bob, "posts/thumb", ["post": id, "thumb": "up"])
            try circle.done(bob, "posts/comment", ["post": id, "text": "Fast!"])
            circle.advance(1)
            let stays = try circle.done(ada, "posts/add", ["workout": "other", "friends": true])
            #expect(try circle.next(bob, "posts")?["post"] == stays["post"])
            try circle.done(ada, "workouts/delete", ["id": "run"])
            #expect(try circle.next(bob, "posts") == ["post": id, "removed": true])
            let left = try elements(circle.done(bob, "posts/list"), "posts").map { $0["post"] }
            #expect(left == [stays["post"]])
            let rows = try circle.postRows(bob)
            #expect(rows["post_thumbs.person"] == 0 && rows["post_comments.person"] == 0, "\(rows)")
            #expect(try circle.postRows(ada)["posts.person"] == 1)
        }
    }

    @Test("show the way without its ends, and without its place on the Earth, if their person says so")
    func way() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: nil)
            let (otto, bob) = (family.otto, try circle.person(name: "Bob"))
            try circle.befriend(otto, bob, sharing: nil)
            let began = circle.now
            for step in 0..<120 {
                family.walk(Double(step) * 14)
                circle.advance(10_000)
            }
            try family.settle()
            try run(circle, otto, "walk", metres: 1666, from: began)
            let hidden = try circle.done(otto, "posts/add", ["workout": "walk", "friends": true])
            let refusal = try circle.refused(bob, "posts/way", .object(present: ["post": hidden["post"]]))
            #expect(refusal.code == .notFound && refusal.message == "this post shows no way")
            circle.advance(1)
            let open = try circle.done(otto, "posts/add", ["workout": "walk", "friends": true, "way": true])
            let fields = JSON.object(present: ["post": open["post"]])
            let pieces = try elements(circle.done(bob, "posts/way", fields), "way")
            let points = pieces.flatMap { piece -> [[Double]] in
                guard case .array(let points) = piece else { return [] }
                return points.map { point in
                    guard case .array(let numbers) = point else { return [] }
                    return numbers.compactMap(\.double)
                }
            }
            #expect(points.first == [0, 0] && points.allSatisfy { $0.count == 2 }, "\(pieces)")
            let lengths = points.map { $0[1] }
            let length = try #require(lengths.max()) - (lengths.min() ?? 0)
            // 200 m are hidden at each end, and a little more so that nobody can compute where it began.
            #expect((600...1270).contains(length), "\(length)")
            // What was hidden near its start would be seen if it began later.
            try circle.done(otto, "workouts/edit", ["id": "walk", "activity": "walking"])
            #expect(try shown(circle, bob)?["way"] == true)
            try circle.done(otto, "workouts/edit", ["id": "walk", "from": .integer(began + 300_000)])
            #expect(try shown(circle, bob)?["way"] == false && elements(circle.done(bob, "posts/way", fields), "way").isEmpty)
            try circle.done(otto, "workouts/undo", ["id": "walk", "all": true])
            #expect(try shown(circle, bob)?["way"] == true && elements(circle.done(bob, "posts/way", fields), "way") == pieces)
            let eve = try circle.person(name: "Eve")
            #expect(try circle.refused(eve, "posts/way", fields).message == "there is no such post")
        }
    }
}

extension JSON {
    fileprivate var members: [JSON.Member] { if case .object(let members) = self { members } else { [] } }
}
