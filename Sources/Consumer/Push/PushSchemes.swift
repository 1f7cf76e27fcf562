// What Apprise does with an address depends on its scheme. Most schemes lead to a service of that name, and the rest of the
// address says which account there. Some lead to a server that the address names. Others do something on this machine, or
// read files that the address names: none of these is here, and no operator can allow one.
//
// An address may have parameters, after its question mark. Some of them name files on this machine, and new ones come with
// each version of Apprise: so only those are allowed that are known to be harmless.

/// The schemes of addresses that are known here.
package enum PushSchemes {
    /// Those that lead to the server that the address names.
    package static let toServers: Set<String> = [
        "bark", "barks", "form", "forms", "gotify", "gotifys", "hassio", "hassios", "json", "jsons", "mailto",
        "mailtos", "mastodon", "mastodons", "matrix", "matrixs", "mmost", "mmosts", "ncloud", "nclouds", "nctalk",
        "nctalks", "ntfy", "ntfys", "rocket", "rockets", "signal", "signals", "smseagle", "smseagles", "xml", "xmls",
    ]
    /// Those that lead to one service on the Internet.
    package static let toServices: Set<String> = [
        "bulksms", "clicksend", "discord", "flock", "gchat", "guilded", "ifttt", "join", "line", "msgbird", "opsgenie",
        "pagerduty", "pbul", "pover", "prowl", "push", "pushed", "slack", "spush", "tgram", "twilio", "vonage",
        "wxteams", "zulip",
    ]
    /// That of people's browsers, to which nothing of Apprise's leads: see `PushToBrowser`.
    static let browser = "webpush"
    /// Those that are allowed unless the settings say otherwise. What they carry is encrypted on its way.
    static let usual: Set<String> = [
        "discord", "gotifys", "mailtos", "matrixs", "nctalks", "ntfys", "pbul", "pover", "prowl", "signals", "slack",
        "tgram", browser,
    ]
    /// Those that send mail, which has a subject.
    package static let mail: Set<String> = ["mailto", "mailtos"]
    /// Those whose messages can have a header of ours.
    static let withHeaders: Set<String> = ["form", "forms", "json", "jsons", "mailto", "mailtos", "xml", "xmls"]

    /// The parameters that an address may have.
    static let parameters: Set<String> = [
        "auth", "batch", "bcc", "cc", "click", "delay", "format", "from", "image", "method", "mode", "msgtype", "name",
        "overflow", "pass", "preview", "priority", "reply", "silent", "smtp", "sound", "status", "tags", "thread", "to",
        "token", "topic", "user", "version",
    ]
}
