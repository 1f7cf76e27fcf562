import Desk
import Telemetry

/// What people are refused. Somebody who is not a member gets the same reply as for a group that does not exist.
enum GroupRefusal {
    static let unknown = ReplyError(.notFound, "you are in no such group", field: "group")
    static let noChallenge = ReplyError(.notFound, "this group has no such challenge", field: "from")
    static let noChallengeAtAll = ReplyError(.notFound, "this group has no challenge", field: "from")
    static let notOwner = ReplyError(.notAllowed, "only the owner of the group can do that", field: "group")
}
