import Features
import Files
import Fitness
import Records
import Telemetry

/// What a person takes along of posts. Belongs to the thread of its source.
struct PostExport {
    private let source: ExportSource
    private var rows: PostRows { PostRows(source.store, source.keys) }

    init(_ source: ExportSource) { self.source = source }

    func json() throws(VaultError) -> JSON? {
        let posts = try rows.posts(of: source.user).map(json)
        let thumbs = try ThumbRows(source.store, source.keys).given(by: source.user).compactMap { given -> JSON? in
            given.thumb.map { ["post": .string(given.post.text), "thumb": .string($0.rawValue)] }
        }
        let comments = try CommentRows(source.store, source.keys).comments(of: source.user).map { comment -> JSON in
            [
                "comment": .string(comment.id.text), "post": .string(comment.post.text),
                "time": .string(iso8601(unixMilliseconds: comment.time)), "text": .string(comment.text),
            ]
        }
        let reports = try ReportRows(source.store, source.keys).reports(of: source.user).map { report -> JSON in
            [
                "post": .string(report.post.text), "time": .string(iso8601(unixMilliseconds: report.time)),
                "reason": .string(report.reason),
            ]
        }
        guard !posts.isEmpty || !thumbs.isEmpty || !comments.isEmpty || !reports.isEmpty else { return nil }
        return [
            "posts": .array(posts), "thumbs": .array(thumbs), "comments": .array(comments), "reports": .array(reports),
        ]
    }

    private func json(_ post: Post) throws(VaultError) -> JSON {
        let picture = try rows.picture(post.id, of: post.author).map { Self.file(of: post, $0) }
        return .object(
            [
                JSON.Member("post", .string(post.id.text)),
                JSON.Member("time", .string(iso8601(unixMilliseconds: post.time))),
            ] + post.figures.filter { $0.name != "picture" }
                + (post.workout.map { [JSON.Member("workout", $0.json)] } ?? []) + [
                    JSON.Member("friends", .bool(post.isForFriends)),
                    JSON.Member("groups", .array(post.groups.map { .string($0.text) })),
                ] + (picture.map { [JSON.Member("picture", .string($0))] } ?? []))
    }

    private static func file(of post: Post, _ picture: JSON) -> String {
        let kind =
            if case .string(let type)? = picture["type"] { type.split(separator: "/").last ?? "" } else { Substring() }
        return "post-\(post.id).\(kind)"
    }

    // MARK: Pictures

    /// What a position's count is made of: how many pictures are skipped, and how many bytes of the next one.
    private static let span: Int64 = 1 << 20

    /// All pictures, a file each, from the earliest post to the latest. A position has the time of a post; of several posts of that very
    /// time its count says which.
    static let pictures = ExportSection(
        "post-picture", "The pictures of your posts, a file each: posts.json names them."
    ) { source, position throws(VaultError) in
        let rows = PostRows(source.store, source.keys)
        let posts = try rows.posts(of: source.user).filter { $0.hasPicture && $0.time >= position.time }.reversed()
        var offset = position.count % span
        for (index, post) in posts.enumerated().dropFirst(Int(position.count / span)) {
            guard let picture = try rows.picture(post.id, of: post.author), case .string(let text)? = picture["picture"]
            else { continue }
            let file = ExportSection.text(position.section, "") { _ in
                ExportSection.Text(Self.file(of: post, picture), text, isBase64: true)
            }
            var part = try file.part(source, ExportPosition(section: position.section, count: offset))
            if let next = part?.next {
                offset = Int64(index) * span + next.count
                part?.next = ExportPosition(section: position.section, time: position.time, count: offset)
            } else if index + 1 < posts.count {
                let (later, before) = (Array(posts)[index + 1], Array(posts)[...index])
                let skipped = Int64(before.count { $0.time == later.time })
                part?.next = ExportPosition(section: position.section, time: later.time, count: skipped * span)
            }
            return part
        }
        return nil
    }
}
