import CSQLite
import Files
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Groups
@testable import Posts
@testable import Social
@testable import Storage

@Suite("Pages of posts")
struct PostPageTests {
    @Test("have what several people have posted, the latest first and each once, also of the same time")
    func order() throws {
        let feed = try Feed()
        let (ada, bob, eve) = (try feed.person(), try feed.person(), try feed.person())
        try feed.befriend(ada, [bob, eve])
        var posted: [(time: Int64, id: String)] = []
        for number in 0..<130 {
            let author = [bob, eve, ada][number % 3]
            // Often several have the same time.
            let time = 1000 + Int64(number / 7)
            posted.append((time, try feed.post(author, "\(number)", at: time).text))
        }
        let expected = posted.sorted { ($0.time, $0.id) > ($1.time, $1.id) }.map(\.id)
        let pages = try feed.all(ada)
        #expect(pages.map(\.count) == [50, 50, 30] && pages.flatMap { $0 } == expected)
        #expect(try feed.all(ada, own: true).flatMap { $0 }.count == 43)
        // Bob and Eve do not know each other.
        #expect(try feed.all(bob).flatMap { $0 }.count == 130 - 43)
    }

    @Test("leave out posts of those of whom everything is being deleted")
    func hidden() throws {
        let feed = try Feed()
        let (ada, bob, eve) = (try feed.person(), try feed.person(), try feed.person())
        try feed.befriend(ada, [bob, eve])
        let ids = try [bob, eve, ada].map { try feed.post($0, "Look", at: 1000).text }
        #expect(try Set(Feed.ids(feed.page(ada))) == Set(ids))
        #expect(try Set(Feed.ids(feed.page(ada, hiding: [bob]))) == Set(ids.dropFirst()))
    }

    @Test("do not shift when posts come and go in between")
    func stable() throws {
        let feed = try Feed()
        let (ada, bob) = (try feed.person(), try feed.person())
        try feed.befriend(ada, [bob])
        var ids = try (0..<120).map { try feed.post(bob, "\($0)", at: 1000 + Int64($0) / 2) }
        let before = try feed.all(ada).flatMap { $0 }
        var gone: Set<String> = []
        let seen = try feed.all(ada) { last in
            // A new one, one that was seen already, one that was not, the oldest, and the one that the cursor names.
            try feed.post(bob, "new", at: 5000)
            let named = ids.filter { $0.text == last }
            let chosen = [ids[ids.count - 1], ids[ids.count / 2], ids[0]] + named
            ids = ids.filter { !chosen.contains($0) }
            for id in chosen {
                guard let post = try feed.rows.post(id) else { continue }
                try feed.store.change(bob) { () throws(VaultError) in try feed.rows.remove(post) }
                gone.insert(id.text)
            }
        }.flatMap { $0 }
        #expect(Set(seen).count == seen.count && gone.count == 8)
        #expect(Set(before).subtracting(gone).isSubset(of: seen))
        #expect(seen == before.filter { seen.contains($0) })
    }

    @Test("have only as many posts as a reply takes, and one at least")
    func length() throws {
        let feed = try Feed()
        let ada = try feed.person()
        for number in 0..<30 { try feed.post(ada, String(repeating: "\"", count: 1000) + "\(number)", at: Int64(number)) }
        let pages = try feed.all(ada)
        #expect(pages.count > 1 && pages.flatMap { $0 }.count == 30)
        #expect(try feed.page(ada).bytes.count < JSON.maximumLength)
    }

    @Test("have nothing of people of whom only one side says that they are friends, nor of those who block each other")
    func oneSided() throws {
        let feed = try Feed()
        let (ada, bob, eve, mallory) = (try feed.person(), try feed.person(), try feed.person(), try feed.person())
        try feed.befriend(ada, [bob], both: false)
        try feed.befriend(ada, [eve, mallory])
        try feed.store.change(mallory) { () throws(VaultError) in
            try feed.lists.change(mallory) { $0.add(Tie(id: ada, user: ada, state: .blocked, since: 0)) }
        }
        for (time, author) in [bob, eve, mallory].enumerated() { try feed.post(author, "x", at: Int64(time)) }
        let seen = try feed.page(ada)
        #expect(try Feed.ids(seen).count == 1)
        #expect(try Feed.ids(feed.page(bob)).count == 1, "his own")
        #expect(try Feed.ids(feed.page(mallory)).count == 1)
    }

    @Test("go on over many posts that are not seen, a bounded number at a time")
    func unseen() throws {
        let feed = try Feed()
        let (ada, bob, eve) = (try feed.person(), try feed.person(), try feed.person())
        try feed.befriend(ada, [bob], both: false)
        try feed.befriend(ada, [eve])
        let old = try feed.post(eve, "seen", at: 1)
        for number in 0..<(PostPages.mostOpened + 50) { try feed.post(bob, "x", at: 1000 + Int64(number)) }
        let pages = try feed.all(ada)
        #expect(pages == [[], [old.text]])
    }

    @Test("of 200 friends and 20 groups cost as much with 100 posts of each as with 20", .timeLimit(.minutes(60)))
    func many() throws {
        let feed = try Feed()
        let ada = try feed.person()
        let friends = try (0..<200).map { _ in try feed.person() }
        try feed.befriend(ada, friends)
        // Each friend has as many friends of their own.
        for friend in friends {
            try feed.store.change(friend) { () throws(VaultError) in
                try feed.lists.change(friend) { list in
                    for other in friends.dropFirst() { list.add(Tie(id: other, user: other, state: .friend, since: 0)) }
                }
            }
        }
        let groups = try (0..<20).map { try feed.group("Group \($0)", [ada] + friends.prefix(49)) }
        func post(_ numbers: Range<Int>) throws {
            try feed.store.change(friends) { () throws(VaultError) in
                for (index, friend) in friends.enumerated() {
                    for number in numbers {
                        let post = Post(
                            id: try drawnID(), author: friend, time: Int64(number * 200 + index),
                            text: String(repeating: "w", count: 200), isForFriends: true,
                            groups: number % 5 == 0 && index < 49 ? [groups[number % 20]] : [])
                        try feed.rows.add(post, nil)
                    }
                }
            }
        }
        try post(0..<20)
        let few = try steps(of: feed, for: ada)
        try post(20..<100)
        let many = try steps(of: feed, for: ada)
        print("tens of SQLite's steps for a page of 4,000 posts: \(few), of 20,000: \(many)")
        #expect(few > 0 && many < few * 3 / 2)
    }

    /// How many tens of SQLite's steps a page takes: the dearest of the first twenty.
    private func steps(of feed: Feed, for user: ID) throws -> Int {
        var (cursor, count, most): (JSON?, Int, Int) = (nil, 0, 0)
        for _ in 0..<20 {
            let (page, steps) = try feed.store.database.counted { try feed.page(user, after: cursor) }
            most = max(most, steps)
            count += try Feed.ids(page).count
            cursor = page["next"]
        }
        #expect(count == 1000 && cursor != nil)
        return most
    }
}

extension Database {
    /// What `body` returns, and how many tens of steps SQLite takes in the meantime.
    fileprivate func counted<Value>(_ body: () throws -> Value) rethrows -> (Value, steps: Int) {
        var steps = 0
        let value = try withUnsafeMutablePointer(to: &steps) { pointer in
            let count: @convention(c) (UnsafeMutableRawPointer?) -> CInt = { steps in
                steps?.assumingMemoryBound(to: Int.self).pointee += 1
                return 0
            }
            sqlite3_progress_handler(handle, 10, count, pointer)
            defer { sqlite3_progress_handler(handle, 0, nil, nil) }
            return try body()
        }
        return (value, steps)
    }
}

extension Feed {
    fileprivate func group(_ name: String, _ people: [ID]) throws -> ID {
        let (book, id) = (GroupBook(Documents(store: store, keys: keys)), try drawnID())
        try store.change(people) { () throws(VaultError) in
            var group = Group(
                id: id, name: name, founder: Group.Member(id: try drawnID(), user: people[0], since: 0))
            try book.found(group)
            for person in people.dropFirst() { try book.add(person, to: &group, competing: false, now: 0) }
        }
        return id
    }
}
