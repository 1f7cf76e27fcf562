import Daemon
import Desk
import Files
import Records
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
    init(_ consumer: Consumer, _ store: Store, _ keys: Keys) throws(Failure) {
        let (settings, days, desk) = (consumer.settings, consumer.days, consumer.desk)
        context = PeopleContext(
            settings, store: store, keys: keys, session: consumer.session, rules: consumer.rules, days: days,
            notifications: consumer.notifications, doors: consumer)
        endedGateways = EndedGateways(context)
        today = Today(context, TodayTopics(context, days))
        accounts = try settings.accounts == nil ? nil : Self.accounts(context, consumer)
        if let accounts {
            desk.register(accounts.verbs)
            desk.register(Enrolment(context).verbs)
            desk.register(Claiming(context).verbs)
        }
        desk.register(Profiles(context).verbs)
        desk.register(consumer.notifications.verbs)
        desk.register(Goals(context, days).verbs)
        desk.register(Friends(context, days, hasAccounts: accounts != nil).verbs)
        desk.register([ExportRequests.verb(consumer.exportReaders, context)])
        desk.register(HeartRateRequests.verbs(consumer.readers))
        desk.register(ReadRequests(context, consumer.questions).verbs)
        desk.register(Statistics.verbs(consumer.statisticsReaders, context))
        desk.register(ResetAll(context, consumer.forgetting, accounts).verbs)
        desk.register(HeartRateDeletion(context, consumer.ingest.totals.deletions, consumer.packing).verbs)
        desk.register(consumer.secretVerbs)
    }

    /// For people who are not in the settings: they sign up, and claim their sensors.
    private static func accounts(_ context: PeopleContext, _ consumer: Consumer) throws(Failure) -> Accounts {
        let erase: Accounts.Erase = { [unowned consumer] user, keepingAccount, completion in
            consumer.forgetting.forget(
                user, keepingAccount: keepingAccount,
                progress: { [context] in if !keepingAccount { context.tell(user, "account/delete", $0) } },
                completion: { completion($0.map { _ in }.mapError { $0 }) })
        }
        return try Failure.explaining { () throws(VaultError) in
            let accounts = try Accounts(context, erase: erase)
            accounts.providers = try ProviderSignIn(context, accounts)
            return accounts
        }
    }
}
