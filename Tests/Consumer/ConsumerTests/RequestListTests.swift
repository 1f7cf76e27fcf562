import Daemon
import Foundation
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Admission
@testable import Features
@testable import vitals_consumer

/// Requests are named in the code that answers them, in the broker's rules, and in a document: these tests keep the
/// three together.
@Suite("The list of requests")
struct RequestListTests {
    private func document(_ path: String) throws -> [Substring] {
        try String(contentsOfFile: "\(projectFolder)/\(path)", encoding: .utf8).split(separator: "\n")
    }

    /// What stands between backticks.
    private func quoted(_ text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
    }

    @Test("is the same at the desk, in the document, and for guests in the broker's rules")
    func desk() throws {
        let household = try Household()
        let settings = try household.settings(port: 1, more: "accounts: {}, broker_rules: {},")
        _ = try Keys(settings, .create)
        let desk = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }.desk
        #expect(desk.requests(of: .guests) == Set(BrokerRole.guestRequests))
        let names = Set(
            try document("deploy/topics.md").filter { $0.hasPrefix("| `") }.flatMap { line in
                quoted(line.split(separator: "|").first ?? "")
            })
        let isVerb = { (name: Substring) in !name.isEmpty && name.allSatisfy { $0.isLowercase || $0 == "-" } }
        let ofPersons = names.filter { name in
            let levels = name.split(separator: "/", omittingEmptySubsequences: false)
            return levels.count == 2 && levels.allSatisfy(isVerb)
        }
        #expect(ofPersons == desk.requests(of: .persons))
        #expect(desk.requests(of: .guests).subtracting(names).isEmpty)
    }

    @Test("names in the document each field that a request has")
    func fields() throws {
        let household = try Household()
        let settings = try household.settings(port: 1, more: "accounts: {}, broker_rules: {},")
        _ = try Keys(settings, .create)
        let desk = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }.desk
        let verbs = Dictionary(uniqueKeysWithValues: desk.verbs.map { ($0.name, $0) })
        var (seen, before) = (Set<String>(), Set<String>())
        for line in try document("deploy/topics.md").filter({ $0.hasPrefix("| `") }) {
            let columns = line.split(separator: "|")
            let named = quoted(columns[0]).compactMap { verbs[$0] }
            guard !named.isEmpty else { continue }
            var told = Set(columns.dropFirst().prefix(1).flatMap(quoted))
            if columns[1].contains("the same") { told.formUnion(before) }
            for verb in named {
                let missing = verb.contract.asks.map(\.name).filter { !told.contains($0) }
                #expect(missing.isEmpty, "\(verb.name)")
            }
            seen.formUnion(named.map(\.name))
            before = told
        }
        #expect(seen == Set(verbs.keys))
    }

    @Test("has beside it what people are told, and on which topics: the same in the features and in the document")
    func told() throws {
        let lines = try document("deploy/topics.md")
        func rows(under heading: String) throws -> [[Substring]] {
            let start = try #require(lines.firstIndex { $0.hasPrefix(heading) }, "\(heading)")
            return lines[start...].dropFirst().prefix { !$0.hasPrefix("## ") }.filter { $0.hasPrefix("| `") }
                .map { $0.split(separator: "|") }
        }
        let topics = try rows(under: "## A person's topics").filter { $0[2].contains("consumer") }
            .map { row -> FeatureTopic in
                let name = try #require(quoted(row[0]).first)
                let filter = name.replacingOccurrences(of: "\\{[^{}]*\\}", with: "+", options: .regularExpression)
                return FeatureTopic(filter, isRetained: row[1].contains("yes"))
            }
        #expect(Set(topics) == Set(Feature.all.topics + [FeatureTopic("responses/+", isRetained: false)]))
        let kinds = try rows(under: "## Notifications").flatMap { quoted($0[0]) }
        #expect(Set(kinds) == Set(Feature.all.flatMap(\.notifications).map(\.name)))
    }

    @Test("of a household is the same in the broker's rules, in a home's rules, and in the document")
    func household() throws {
        let topics = try Topics()
        func published(_ role: BrokerRole) -> Set<String> {
            Set(role.rules.filter { $0.action == .send && $0.isAllowed }.map(\.filter))
        }
        let everywhere = published(.household(of: nil, topics))
        #expect(everywhere.contains("vitals/v1/gateways/+/requests/scan"))
        let requests = GatewayRequest.allCases.count + MusicRequest.allCases.count + SensorTopic.requests.count
        #expect(everywhere.count == requests)
        let home = try document("mosquitto/vitals.acl").prefix { !$0.hasPrefix("user ") }
            .compactMap { $0.hasPrefix("topic write ") ? String($0.dropFirst(12)) : nil }
        #expect(Set(home) == everywhere)
        // A person's block begins with what is theirs alone, and repeats the household's.
        let lines = try document("mosquitto/vitals.acl")
        let person = try #require(lines.firstIndex(of: "#user demo"))
        let block = lines[person...].dropFirst().filter { !$0.hasPrefix("#topic read vitals/v1/users/demo/") }
            .filter { !$0.hasPrefix("#topic write vitals/v1/users/demo/") }
        #expect(block.map { $0.dropFirst() } == lines.prefix { !$0.hasPrefix("user ") }.filter { !$0.hasPrefix("#") })

        let row = try #require(try document("deploy/topics.md").first { $0.hasPrefix("| household") })
        let columns = row.split(separator: "|")
        let spelt = quoted(columns[1]).flatMap(alternatives).map { "vitals/v1/\($0)" }
        let gateway = try ID("gw")
        let rules = published(.household(of: gateway, topics))
        let expected = Set(rules.map { $0.replacingOccurrences(of: "/gateways/gw/", with: "/gateways/{gw}/") })
        #expect(Set(spelt) == expected)
    }

    /// `a/{b,c}/d` is `a/b/d` and `a/c/d`; `{gw}` stays.
    private func alternatives(_ text: String) -> [String] {
        guard let range = text.range(of: "\\{[^{}]*,[^{}]*\\}", options: .regularExpression) else { return [text] }
        return text[range].dropFirst().dropLast().split(separator: ",").flatMap { part in
            alternatives(text.replacingCharacters(in: range, with: part))
        }
    }
}
