package import Features
package import Files
import FoundationEssentials
package import Telemetry

/// What other features read of a person's own posts. Belongs to the thread of its source.
package struct OwnPosts {
    /// A post as its author sees it.
    package struct Content {
        package let text: String
        /// Unix milliseconds.
        package let time: Int64
        /// The week's, as they were when it was posted.
        package let workouts: Int64
        package let seconds: Int64
        /// With its media type; nil if there is none.
        package let picture: (bytes: [UInt8], type: String)?
    }

    private let rows: PostRows
    private let user: ID

    package init(_ source: ReadSource, of user: ID) {
        (rows, self.user) = (PostRows(source.store, source.keys), user)
    }

    /// Whether it is a post of the person's that shows a workout: the workout itself can be shared instead.
    package func showsWorkout(_ id: ID) throws(VaultError) -> Bool {
        guard let post = try rows.post(id), post.author == user else { return false }
        return post.workout != nil
    }

    /// A post of the person's about a week; nil if they have no such post.
    package func post(_ id: ID) throws(VaultError) -> Content? {
        guard let post = try rows.post(id), post.author == user, post.workout == nil else { return nil }
        var picture: (bytes: [UInt8], type: String)?
        if let kept = try rows.picture(id, of: user), case .string(let type)? = kept["type"],
            case .string(let text)? = kept["picture"], let bytes = Data(base64Encoded: text)
        {
            picture = (Array(bytes), type)
        }
        return Content(
            text: post.text, time: post.time, workouts: post.week.workouts, seconds: post.week.seconds, picture: picture
        )
    }
}
