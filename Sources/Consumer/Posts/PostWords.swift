import Features

// What people are told of posts.

extension Notification.Kind {
    /// Somebody has given one of the person's posts a thumb.
    static let postThumb = Self("post-thumb", .neutralPost)
    /// Somebody has written something about one of the person's posts.
    static let postComment = Self("post-comment", .neutralPost)
}

extension Phrase {
    static let neutralPost = Phrase(
        english: "Vitals has news for you: it is about one of your posts.",
        german: "Vitals hat Neuigkeiten für dich: Es geht um einen deiner Beiträge.")
    /// {name}
    static let postThumbUp = Phrase(
        english: "{name} gave your post a thumbs-up.",
        german: "{name} gibt deinem Beitrag einen Daumen hoch.")
    /// {name}
    static let postThumbDown = Phrase(
        english: "{name} gave your post a thumbs-down.",
        german: "{name} gibt deinem Beitrag einen Daumen runter.")
    /// {name}
    static let postComment = Phrase(
        english: "{name} has commented on your post.", german: "{name} hat deinen Beitrag kommentiert.")
}
