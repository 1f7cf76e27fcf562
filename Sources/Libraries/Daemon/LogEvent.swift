/// What an operator may want to be told of, each with an id that never changes (`MESSAGE_ID`, systemd.journal-fields(7)):
/// the words of a line may change, and are not for programs. `deploy/care.md` lists them with what to do.
public enum LogEvent: String, CaseIterable, Sendable {
    // Of both services.
    case brokerConnected = "b0ac60ce49d445ab81041c925b80571b"
    case brokerAway = "7be810c39cdd4bdeb314f8f7457fbecf"
    case diskRefuses = "e2bd69933689434388ffa42a5a5d66c4"
    case diskTakes = "5f20ff499eaf470ea2793d4c681c1035"
    case settingsRead = "137bbf9f0bc84e70852e82a092002806"
    case settingsRefused = "4b9917275e6b4446bac10de9e70d8aaa"
    case storeOlder = "e0a923f397c04365a032dabe5a48b44e"

    // Of a gateway.
    case notEnrolled = "921b16c2bfc24fb386c627f94a4251df"
    case bluetoothChanged = "5c2c5e37293f45dba0ba1352195e03df"
    case bluetoothTrouble = "097c5b80e8744ac18ec2bac7bac1b665"
    case readingsDropped = "f60d843d07184d4fa46f837b08396971"
    case clockSet = "9c3ec5217a984cd3824080afe9173ce4"
    case consumerRefused = "67098660c6f44adc997d4ad1b6d3de71"

    // Of a consumer.
    case blockRefused = "9896bcc07e9d453cb7f8ffd0677f1d11"
    case blocksHeld = "bfe6f4eb091440b88b6a5912bd7b476a"
    case readingsLost = "36e641d396d34ca48141081fd163e904"
    case rulesNotInLine = "bc5ec6b9c7fd481ba9ad11b0b662f9f7"
    case rootKeyMade = "14d90528039941e1bd8fb223a367bd6c"
    case rootKeyChanged = "3adb77d52d014c58b092949cbf271bed"

    /// The id, 32 hexadecimal digits: `journalctl MESSAGE_ID=…` finds its lines.
    public var id: String { rawValue }

    /// The name, such as `broker-away`, which is in the journal as `VITALS_EVENT`.
    public var name: String {
        "\(self)".map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    }
}
