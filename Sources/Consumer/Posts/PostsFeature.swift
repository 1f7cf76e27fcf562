package import Features
import Files
import Records

extension Feature {
    /// What people show each other of their weeks.
    package static let posts = Feature(
        name: "posts", schema: PostRows.schema,
        sealedTables: PostRows.tables + [ThumbRows.table, CommentRows.table] + ReportRows.tables,
        tables: [
            PersonalTable(name: "post_audiences", erasure: .always, exported: .shown(in: "posts.json")),
            PersonalTable(
                name: "post_thumbs", column: "author", erasure: .always,
                exported: .hidden(because: "a thumb belongs to the person who gave it; posts.json counts them")),
            PersonalTable(
                name: "post_comments", column: "author", erasure: .always,
                exported: .hidden(because: "a comment belongs to the person who wrote it, and is in their posts.json")),
            PersonalTable(
                name: "post_reports", column: "author", erasure: .always,
                exported: .hidden(because: "what others have told the operator is theirs, and in their posts.json")),
        ],
        documents: [
            FeatureDocument(
                name: PostTimes.document, hangsByItself: true,
                exported: .hidden(
                    because: "it only limits how often you post, comment and tell others; posts.json has the times"))
        ],
        exports: [
            .document(
                "posts.json",
                """
                What you have posted, for whom, and how many thumbs it has; the thumbs that you have given and the comments that you have \
                written; and the posts and comments that you have reported, until the operator has decided. "picture" is the name of a post's picture here.
                """
            ) { source throws(VaultError) in try PostExport(source).json() },
            PostExport.pictures,
        ],
        touched: { person throws(VaultError) in
            try ThumbRows(person.store, person.keys).others(of: person.user)
                .union(CommentRows(person.store, person.keys).others(of: person.user))
                .union(ReportRows(person.store, person.keys).others(of: person.user))
                .union(Notifications(person.store, person.keys).people(toldOf: person.user))
                .subtracting([person.user])
        },
        erasing: { person, _ throws(VaultError) in
            try ThumbRows(person.store, person.keys).removeAll(of: person.user)
            try CommentRows(person.store, person.keys).removeAll(of: person.user)
            try ReportRows(person.store, person.keys).removeAll(of: person.user)
        },
        hanging: { hanging, source throws(VaultError) in
            hanging.posts = try PostRows(source.store, source.keys).posts(of: source.user).count
        },
        service: { Posts($0) },
        topics: [FeatureTopic(.posts, isRetained: false, PostNews.schema)], notifications: [.postThumb, .postComment],
        commands: [PostsCommand.command])
}
