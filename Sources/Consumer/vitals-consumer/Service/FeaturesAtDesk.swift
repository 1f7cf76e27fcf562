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

// What stands at the desk. A feature's verbs come with its value. What is made here has more to do than to answer: it
// hears of the connection, has settings of its own, or asks gateways.

/// The features of a service, made and put together. Belongs to the session's thread.
final class FeaturesAtDesk {
    let context: PeopleContext
    /// Nil where nobody can sign up or in.
    let accounts: Accounts?
    let endedGateways: EndedGateways
    let today: Today

    /// The features of a service whose other parts exist already, registered at its desk.
    init(
        _ parts: FeatureParts, _ settings: ConsumerSettings, _ desk: Desk, _ questions: SensorQuestions,
        _ secrets: Secrets
    ) throws(Failure) {
        let context = parts.context
        self.context = context
        endedGateways = EndedGateways(context)
        today = Today(context, TodayTopics(context, parts.days, context.features))
        for feature in context.features { desk.register(feature.verbs?(parts) ?? []) }
        // For people who are not in the settings: they sign up, and claim their sensors.
        accounts = try Failure.explaining { () throws(VaultError) in
            try settings.accounts.map { settings throws(VaultError) in try Accounts(context, settings) }
        }
        if let accounts {
            desk.register(accounts.verbs)
            desk.register(Enrolment(context).verbs)
            desk.register(Claiming(context).verbs)
        }
        desk.register(ReadRequests(context, questions).verbs)
        desk.register(ResetAll(context, accounts).verbs)
        desk.register(secrets.verbs)
    }
}
