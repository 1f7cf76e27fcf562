import Contract

/// What `notifications/…` ask and answer.
extension RequestContract {
    static let notificationsList = RequestContract(
        "Lists notifications, the latest first.",
        asks: [
            .known("all", .bool.about("whether to list those that are confirmed, too")),
            .known("before", .text(atMost: 64).about("the id of the notification before which to begin")),
            .known("limit", .integer(in: Notifications.limits).about("\(Notifications.usualLimit) if it is left out")),
        ],
        answers: .record([
            .always("notifications", .array(of: StoredNotification.schema, atMost: Notifications.limits.upperBound)),
            .always("more", .bool.about("whether there are earlier ones")),
        ]))

    static let notificationsConfirm = RequestContract(
        "Confirms notifications: those with these ids, or all.",
        asks: [
            .known("ids", .array(of: .text(atMost: 64), atMost: Int64(Notifications.mostOfEach))),
            .known("all", .bool),
        ],
        answers: .record([.always("confirmed", .count.about("how many were not confirmed before"))]))
}
