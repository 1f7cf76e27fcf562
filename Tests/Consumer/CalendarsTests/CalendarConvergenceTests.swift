import Fitness
import Schedules
import Telemetry
import TestSupport
import Testing

@testable import Calendars
@testable import Reminders

@Suite("Reminders and a calendar, changed at random on both sides and interrupted anywhere")
struct CalendarConvergenceTests {
    /// Both sides, and what has to come out: each item has a tag that its label begins with.
    private struct World {
        var side = MadeUpSide()
        var calendar = MadeUpCalendar()
        var dice: SeededGenerator
        var made = 0
        var renamed = 0
        var said = 0
        /// What somebody has deleted, on either side: it may be there again, or not.
        var deleted: Set<String> = []
        /// What somebody has made of each item last, on either side.
        var latest: [String: Appointment] = [:]

        static func tag(_ label: String) -> String { String(label.prefix { $0 != " " }) }

        mutating func somewhat(_ label: String) throws -> Appointment {
            // Nothing is ever said twice: who says what they had said before has changed nothing since.
            said += 1
            return try .madeUp(
                "\(World.tag(label)) \(said)",
                minute: Int.random(in: 0..<3, using: &dice) * 60,
                weekdays: Set([Int.random(in: 1...7, using: &dice)]),
                alarm: [nil, 0, 15].randomElement(using: &dice) ?? 0)
        }

        mutating func noted(_ appointment: Appointment) -> Appointment {
            latest[World.tag(appointment.label)] = appointment
            return appointment
        }

        /// Items that do not say in the end what somebody has made of them last, although nobody was told.
        func unheard() -> [String] {
            let said = Dictionary(side.reminders.map { (World.tag($0.label), Appointment($0)) }) { one, _ in one }
            let told = Set(side.news.compactMap(\.label).map(World.tag))
            return latest.filter { tag, last in !deleted.contains(tag) && !told.contains(tag) && said[tag] != last }
                .map(\.key).sorted()
        }

        mutating func tag() -> String {
            made += 1
            return "#\(made)"
        }

        /// One change, on one of the sides.
        mutating func change() throws {
            side.now += Int64.random(in: 0..<1500, using: &dice)
            let label = side.reminders.randomElement(using: &dice)?.label
            let name = calendar.names.randomElement(using: &dice)
            switch Int.random(in: 0..<12, using: &dice) {
            case 0, 1: try side.add(noted(somewhat(tag())))
            case 2, 3: calendar.put("made-\(made).ics", try noted(somewhat(tag())), at: side.now)
            case 4, 5:
                guard let label else { return }
                let wanted = try somewhat(label)
                _ = noted(wanted)
                side.change(label) { $0 = wanted.applied(to: $0, now: 0) }
            case 6, 7:
                guard let name, let event = calendar[name] else { return }
                calendar.put(name, try noted(somewhat(event.label)), at: side.now)
            case 8:
                guard let label else { return }
                deleted.insert(World.tag(label))
                side.change(label, nil)
            case 9:
                guard let name else { return }
                if let event = calendar[name] { deleted.insert(World.tag(event.label)) }
                calendar.delete(name)
            case 10:
                guard let name else { return }
                calendar.rewrite(name)
            default:
                guard let name, name.hasPrefix("made"), calendar[name] != nil else { return }
                renamed += 1
                calendar.rename(name, to: "made-again-\(renamed).ics")
            }
        }

        mutating func changes() throws { for _ in 0..<Int.random(in: 0..<3, using: &dice) { try change() } }
        mutating func chance() -> Bool { Int.random(in: 0..<4, using: &dice) == 0 }

        /// One look, which may end anywhere, while both sides are changed.
        mutating func look() throws {
            let sight = calendar.sight(side.link, forgetful: chance())
            try changes()
            guard !chance() else { return }
            let steps = try side.look(sight)
            var outcomes: [(CalendarStep, CalendarOutcome)] = []
            for step in steps {
                guard !chance() else { break }
                try changes()
                outcomes.append((step, calendar.take(step, silent: chance())))
            }
            guard !chance() else { return }
            try changes()
            _ = try side.change { merge in
                for (step, outcome) in outcomes { try merge.take(outcome, of: step) }
                return []
            }
        }
    }

    @Test("are the same in the end, nothing is doubled, and nothing is lost that nobody deleted", arguments: 0..<40)
    func converge(seed: Int) throws {
        for run in 0..<25 {
            var world = World(dice: SeededGenerator(seed: UInt64(seed * 1000 + run)))
            for _ in 0..<12 {
                try world.changes()
                try world.look()
            }
            let rounds = try world.side.settle(&world.calendar)
            let ours = world.side.reminders.map { Appointment($0).line }.sorted()
            let theirs = world.calendar.weekly.values.map(\.line).sorted()
            #expect(rounds <= 3 && ours == theirs, "seed \(seed), run \(run)")
            let tags = world.side.reminders.map { World.tag($0.label) }
            #expect(Set(tags).count == tags.count, "doubled: seed \(seed), run \(run)")
            let kept = Set((1..<world.made + 1).map { "#\($0)" }).subtracting(world.deleted)
            #expect(kept.isSubset(of: tags), "lost: seed \(seed), run \(run)")
            #expect(world.unheard().isEmpty, "lost without a word: \(world.unheard()), seed \(seed), run \(run)")
            // Everything is known of everything.
            #expect(world.side.link.entries.count == tags.count && world.side.link.others.isEmpty)
            #expect(try world.side.settle(&world.calendar) == 1)
        }
    }
}

extension CalendarNews {
    /// Of which reminder a person is told; nil for many.
    fileprivate var label: String? {
        switch self {
        case .keptOurs(let label), .tookTheirs(let label), .putBack(let label), .broughtBack(let label),
            .estranged(let label):
            label
        case .full, .emptied: nil
        }
    }
}
