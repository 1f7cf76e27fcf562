package import Days
package import Desk
package import Files
package import Readings
package import Records
package import Storage
package import Telemetry

// What the house must know of a feature stands in one value, in the feature's own folder: its tables and documents,
// what is exported of them, what is done when a person is erased, what it keeps of readings, what people may ask, what
// they are told and on which topics, and what it reads of the settings.
//
// The parts that do something with all of these, such as `forget`, `export`, `check` and `recount`, are given a list of
// features, and name none of them. `FeatureList.swift` is the list. Its order is the order of an export's files, and
// that in which readings are counted.

/// A feature, as those know it who do something for all features alike.
package struct Feature: Sendable {
    package let name: String
    /// Its own tables, made after the store's.
    package var schema = Schema()
    /// Tables whose rows are sealed under a person's row key.
    package var sealedTables: [SealedTable] = []
    /// Other tables that say whose their rows are.
    package var tables: [PersonalTable] = []
    package var documents: [FeatureDocument] = []
    /// Its files in an export.
    package var exports: [ExportSection] = []
    /// The others of whom its steps change something when a person is erased.
    package var touched: TouchedPeople?
    /// What it does when a person is erased, before their rows and documents go.
    package var erasing: ErasingStep?
    /// What it does when a person is erased, after their rows and documents have gone.
    package var erased: ErasingStep?
    /// What it keeps of readings.
    package var derivations: [DerivationMaker] = []
    /// What of it hangs on an account that somebody else may have made.
    package var hanging: HangingPart?
    /// What people may ask of it. Called once, before the service starts.
    package var verbs: VerbsMaker?
    /// What of it lives as long as the service does. Called once, before the service starts.
    package var service: ServiceMaker?
    /// What it publishes to people.
    package var topics: [FeatureTopic] = []
    /// What it tells people of.
    package var notifications: [Notification.Kind] = []
    /// The operator's commands about it.
    package var commands: [OperatorCommand] = []
    /// What it reads of the settings.
    package var settings: (any FeatureSettings.Type)?

    package init(
        name: String, schema: Schema = Schema(), sealedTables: [SealedTable] = [], tables: [PersonalTable] = [],
        documents: [FeatureDocument] = [], exports: [ExportSection] = [], touched: TouchedPeople? = nil,
        erasing: ErasingStep? = nil, erased: ErasingStep? = nil, derivations: [DerivationMaker] = [],
        hanging: HangingPart? = nil,
        verbs: VerbsMaker? = nil, service: ServiceMaker? = nil, topics: [FeatureTopic] = [],
        notifications: [Notification.Kind] = [], commands: [OperatorCommand] = [],
        settings: (any FeatureSettings.Type)? = nil
    ) {
        self.name = name
        self.schema = schema
        self.sealedTables = sealedTables
        self.tables = tables
        self.documents = documents
        self.exports = exports
        self.touched = touched
        self.erasing = erasing
        self.erased = erased
        self.derivations = derivations
        self.hanging = hanging
        self.verbs = verbs
        self.service = service
        self.topics = topics
        self.notifications = notifications
        self.commands = commands
        self.settings = settings
    }
}

/// Makes what a feature answers.
package typealias VerbsMaker = @Sendable (FeatureParts) -> [Verb]

/// Makes what of a feature lives as long as the service; nil if the settings want none.
package typealias ServiceMaker = @Sendable (FeatureParts) throws(VaultError) -> (any FeatureService)?

/// Makes what a feature keeps of readings.
package typealias DerivationMaker = @Sendable (DerivationParts) -> any Derivation

/// Where people find in an export what is kept of them.
package enum Exported: Sendable {
    /// In these sections, by their names.
    case shown(inAll: [String])
    case hidden(because: String)

    package static func shown(in section: String) -> Exported { .shown(inAll: [section]) }
}

/// Documents of one name: a person has one of them at most.
package struct FeatureDocument: Sendable {
    package let name: String
    /// Whether it is the account's own, and stays, under a new secret, when a person has everything else deleted.
    package var isKeptByReset = false
    /// Whether a person who has it has a day to be shown: see the target Social.
    package var makesToday = false
    /// Whether the feature itself says how it hangs on an account (`Feature.hanging`), or nobody else can have made it.
    package var hangsByItself = false
    package let exported: Exported

    package init(
        name: String, isKeptByReset: Bool = false, makesToday: Bool = false, hangsByItself: Bool = false,
        exported: Exported
    ) {
        self.name = name
        self.isKeptByReset = isKeptByReset
        self.makesToday = makesToday
        self.hangsByItself = hangsByItself
        self.exported = exported
    }
}

/// A table that says whose its rows are, and does not seal them under the person's row key.
package struct PersonalTable: Sendable {
    /// What erasing a person does to their rows.
    package enum Erasure: Sendable {
        /// They go with the account.
        case withAccount
        /// They go, whether the account goes or not.
        case always
        /// The feature's own step removes those of an account that goes, or gives them to somebody else. A person who
        /// still has some is not forgotten yet.
        case byOwnStep
        /// They are what erasing is about: streams, documents.
        case byItself
        case never(because: String)
    }

    package let name: String
    /// The column that says whose a row is.
    package var column = "person"
    package let erasure: Erasure
    package let exported: Exported

    package init(name: String, column: String = "person", erasure: Erasure, exported: Exported) {
        self.name = name
        self.column = column
        self.erasure = erasure
        self.exported = exported
    }

    /// Whether nobody has rows here whose account is gone.
    package var goesWithAccount: Bool { if case .byOwnStep = erasure { true } else { isEmptiedWithAccount } }

    /// Whether a person's rows are deleted with the account.
    package var isEmptiedWithAccount: Bool { if case .withAccount = erasure { true } else { isEmptiedAlways } }

    /// Whether a person's rows are deleted, whether the account goes or not.
    package var isEmptiedAlways: Bool { if case .always = erasure { true } else { false } }
}

// MARK: Erasing

/// What a feature does when a person is erased, within the transaction in which their documents go. It may be done
/// again after an interruption.
package typealias ErasingStep = @Sendable (ErasedPerson, inout ErasingEffects) throws(VaultError) -> Void

/// The people of whom something changes when a person is erased: they are locked before the first step.
package typealias TouchedPeople = @Sendable (ErasedPerson) throws(VaultError) -> Set<ID>

/// A person who is being erased, for the features' steps. Belongs to the thread of its store and keys.
package struct ErasedPerson {
    package let user: ID
    /// Every secret up to this version goes. Where the account stays, there is a later one by now.
    package let version: Int64
    /// When it began, Unix milliseconds.
    package let time: Int64
    /// Whether the account goes, too.
    package let isWithAccount: Bool
    package let store: Store
    package let keys: Keys
    /// The sensors that the operator's settings give to people.
    package let given: Set<SensorName>

    package init(
        user: ID, version: Int64, time: Int64, isWithAccount: Bool, store: Store, keys: Keys, given: Set<SensorName>
    ) {
        self.user = user
        self.version = version
        self.time = time
        self.isWithAccount = isWithAccount
        self.store = store
        self.keys = keys
        self.given = given
    }

    package var documents: Documents { Documents(store: store, keys: keys) }
}

/// What others must do because a person is erased.
package struct ErasingEffects {
    /// Their streams must be brought in line.
    package var sensors: Set<SensorName> = []
    /// The broker must no longer know these clients.
    package var clients: [ID] = []

    package init(sensors: Set<SensorName> = [], clients: [ID] = []) {
        self.sensors = sensors
        self.clients = clients
    }
}

// MARK: Lists of features

extension [Feature] {
    package var schema: Schema { map(\.schema).reduce(Schema(), +) }
    package var sealedTables: [SealedTable] { flatMap(\.sealedTables) }
    package var tables: [PersonalTable] { flatMap(\.tables) }
    package var documents: [FeatureDocument] { flatMap(\.documents) }

    /// The names of the documents that are the account's own.
    package var keptDocuments: Set<String> { Set(documents.filter(\.isKeptByReset).map(\.name)) }

    /// The kind of notification of that name; nil if no feature has one.
    package func kind(_ name: String) -> Notification.Kind? { lazy.flatMap(\.notifications).first { $0.name == name } }

    /// All that the features keep of readings.
    package func derivations(_ parts: DerivationParts) -> [any Derivation] { flatMap(\.derivations).map { $0(parts) } }
}

extension [any Derivation] {
    /// The one of a type, which the service needs to know.
    package func only<Derived: Derivation>(_ type: Derived.Type) throws(VaultError) -> Derived {
        for derivation in self { if let found = derivation as? Derived { return found } }
        throw VaultError("put the features together", .misuse, said: "none of them makes \(type)")
    }
}
