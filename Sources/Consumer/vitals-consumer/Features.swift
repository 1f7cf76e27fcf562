import Accounts
import Custody
import Daemon
import Days
import Desk
import Features
import Files
import Insight
import Readings
import Records
import Sensors
import Social
import Telemetry
import Vault

// What stands at the desk. Each feature is made here with what it needs of the others, and gives its verbs to the desk;
// it knows neither the desk nor which other features there are. A new feature adds its lines here, and changes nothing
// else in the service.

/// The features of a service, made and put together. Belongs to the session's thread.
final class Features {
    let context: PeopleContext
    /// Nil where nobody can sign up or in.
    let accounts: Accounts?
    let endedGateways: EndedGateways
    let today: Today

    /// The features of a service whose other parts exist already, registered at its desk.
    init(
        _ context: PeopleContext, _ settings: ConsumerSettings, _ desk: Desk, _ days: Days, _ readers: FeatureReaders,
        _ questions: SensorQuestions, _ deletions: Deletions, _ packing: Packing, _ secrets: Secrets
    ) throws(Failure) {
        self.context = context
        endedGateways = EndedGateways(context)
        today = Today(context, TodayTopics(context, days, Feature.all))
        // For people who are not in the settings: they sign up, and claim their sensors.
        accounts = try Failure.explaining { () throws(VaultError) in
            try settings.accounts.map { settings throws(VaultError) in try Accounts(context, settings) }
        }
        if let accounts {
            desk.register(accounts.verbs)
            desk.register(Enrolment(context).verbs)
            desk.register(Claiming(context).verbs)
        }
        desk.register(Profiles(context, days).verbs)
        desk.register(context.notifications.verbs)
        desk.register(Goals(context, days).verbs)
        desk.register(Friends(context, days, hasAccounts: accounts != nil).verbs)
        desk.register([
            ExportRequests.verb(readers.exports, Feature.all) { [context] user in
                let (settings, now) = (context.settings, context.now())
                return { ExportSource(user, settings, store: $0.store, keys: $0.keys, now: now) }
            }
        ])
        desk.register(HeartRateRequests.verbs(readers.questions))
        desk.register(ReadRequests(context, questions).verbs)
        desk.register(Statistics.verbs(readers.statistics, context))
        desk.register(ResetAll(context, accounts).verbs)
        desk.register(HeartRateDeletion(context, deletions, packing).verbs)
        desk.register(secrets.verbs)
    }
}
