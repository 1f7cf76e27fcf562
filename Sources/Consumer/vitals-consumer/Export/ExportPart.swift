import Records
import Telemetry
import Vault

// What a person takes along, in parts.
//
// The files come one after the other, each in parts of at most 32 KiB of text: a README that explains the others;
// account, profile, consent, devices, sensors, picture, the person's history and targets, friends, thumbs,
// notifications and the ranges that they had deleted; then the totals of each day, a line of JSON for each; then the
// readings, kind by kind, in order of time, as `readings` prints them. An empty file is left out. Nothing is remembered
// between two parts: the cursor says where the next one begins. It is sealed, and bound to the person: nobody can make
// one, and one person's cursor is not valid for another.
//
// A part of readings ends at a time, and after a number of readings of that very millisecond. Readings that are stored
// between two parts, with a time that is already past, are not in the export; where a clock block comes between two
// parts, readings that it moves across that time are in it twice, or not at all.

/// A part of one of the files.
struct ExportPart: Equatable {
    let file: String
    var text = ""
    /// Bytes as base64, and not as they are: a picture's.
    var isBase64 = false
    /// Whether there are blocks about here that do not open.
    var isDamaged = false
    /// Where the next part begins; nil at the end of the export.
    var next: ExportPosition?

    /// No part has more, in bytes.
    static let maximumLength = 32 * 1024
}

/// Where a part begins.
struct ExportPosition: Equatable {
    /// Which of the files.
    var file: ExportFile = .readme
    /// Of readings: Unix milliseconds. Of days: days since 1970. Of other files: not used.
    var time: Int64 = -Moment.limit
    /// Of readings: how many of this very time came before. Of other files: how many bytes.
    var count: Int64 = 0
}

/// The files. Cursors hold their raw values, so these must not change.
enum ExportFile: UInt8, CaseIterable {
    case account, profile, consent, devices, sensors, picture, history, friends, notifications, days
    case heartRate, steps, temperature
    case readme
    case thumbs, deletions

    /// Their order: first what explains the others, and the readings last.
    static let order: [ExportFile] = [
        .readme, .account, .profile, .consent, .devices, .sensors, .picture, .history, .friends, .thumbs,
        .notifications, .deletions, .days, .heartRate, .steps, .temperature,
    ]

    var next: ExportFile? {
        Self.order.firstIndex(of: self).flatMap { $0 + 1 < Self.order.count ? Self.order[$0 + 1] : nil }
    }

    /// The kind of its readings; nil where it has none.
    var kind: ReadingKind? {
        switch self {
        case .heartRate: .heartRate
        case .steps: .steps
        case .temperature: .temperature
        default: nil
        }
    }

    /// The name of the file. The picture's full name depends on its format.
    var name: String {
        switch self {
        case .account: "account.json"
        case .profile: "profile.json"
        case .consent: "consent.json"
        case .devices: "devices.json"
        case .sensors: "sensors.json"
        case .picture: "picture"
        case .history: "history.json"
        case .friends: "friends.json"
        case .notifications: "notifications.json"
        case .days: "days.jsonl"
        case .heartRate: "heart-rate.csv"
        case .steps: "steps.csv"
        case .temperature: "temperature.csv"
        case .readme: "README.txt"
        case .thumbs: "thumbs.json"
        case .deletions: "heart-rate-deleted.json"
        }
    }

    /// What is in the file, for the person who gets it.
    var explanation: String {
        switch self {
        case .account:
            "Your id, your e-mail address or phone number, with whom you sign in, and since when you have the account."
        case .profile: "Your profile as you saved it last. Weight and height are metric, whatever units you see."
        case .consent: "What you have said about showing your location, motion and steps to others."
        case .devices: "The devices on which you are signed in."
        case .sensors: "The sensors that are yours, and the names that you have given to gateways."
        case .picture: "Your profile's picture; its name ends with what kind of picture it is."
        case .history: "Which time zone, body and goals your days were counted with, and from when on each held."
        case .friends:
            """
            Your friends, and the invitations that are still open. "inviters" has the people who have invited you: the id of their \
            latest invitation, and how often you were told of one ("told"). If they invite you again before "held_back_until", you \
            are not told of it, and you see it from then on.
            """
        case .notifications: "What you have been told, and whether you have confirmed it."
        case .days:
            """
            What each of your days came to, one day a line: steps, distance (m), energy (kcal), temperature (degrees Celsius), \
            heart rate (bpm; zones and recording in seconds), and how far your goals were.
            """
        case .heartRate: "Each heart rate that was recorded."
        case .steps: "Each step count that was read: a counter that only grows, until its sensor starts again."
        case .temperature: "Each body temperature that was read."
        case .readme: "This text."
        case .thumbs: "How many thumbs you gave to each friend on the day on which you last gave one."
        case .deletions:
            "From when to when you had heart rates deleted: what a sensor still sends of these times is not kept."
        }
    }
}

// MARK: Cursors

extension ExportPosition {
    /// The cursor for this position, for one person.
    func cursor(of user: ID, _ keys: Keys) throws(VaultError) -> String {
        var bytes = [file.rawValue]
        for number in [time, count] {
            bytes += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Int64($0)) }
        }
        let sealed = try keys.service.sealWithNonce(bytes, aad: Self.context(user))
        return sealed.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The position that a cursor stands for; nil where it is not a cursor of this person.
    init?(cursor: String, of user: ID, _ keys: Keys) throws(VaultError) {
        let digits = cursor.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == cursor.utf8.count, digits.count == Self.cursorLength else { return nil }
        let sealed = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        do throws(VaultError) {
            let bytes = try keys.service.openWithNonce(sealed, aad: Self.context(user))
            guard bytes.count == Self.length, let file = ExportFile(rawValue: bytes[0]) else { return nil }
            func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { $0 << 8 | Int64($1) } }
            self.init(file: file, time: number(1..<9), count: number(9..<17))
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }

    private static let length = 17
    private static let cursorLength = 2 * (BlockCipher.nonceLength + length + BlockCipher.tagLength)

    private static func context(_ user: ID) -> [UInt8] { Array("export".utf8) + [0] + Array(user.text.utf8) }
}
