// One connection: a handle of libmosquitto's, from its creation to its end.
//
// The library can reconnect a handle, but then carries over what belongs to the connection before: QoS 1 messages in
// flight, which it sends again without being asked, an assigned client id, a TLS context with yesterday's certificate.
// A handle for each connection has none of that, and throwing it away also refuses a batch: the acknowledgements that
// still wait in it go with it.

import CMosquitto
import Glibc
import Reactor

/// Initialises the library, once.
private let libraryCode = mosquitto_lib_init()

/// A handle and its socket. Touched by its session's thread only; closed when it is let go of.
final class Connection {
    let handle: OpaquePointer
    let attempted: String
    var watch: EventLoop.Watch?
    /// The broker has accepted us.
    var isAccepted = false
    /// Why the broker refused or ended the connection, once it has said so.
    var refusal: MQTTError?
    /// How often the library has called back: while this grows, there may be more to read.
    fileprivate(set) var callbacks = 0
    /// What the library said last about TLS; it says it nowhere else.
    fileprivate var lastComplaint: String?
    fileprivate unowned let session: Session
    private let options: Options
    /// The largest packet that the broker accepts, if it has said so.
    private var maximumPacketSize: Int?
    /// The topic of the message before.
    private var lastTopic = ""

    /// Makes a handle and begins to connect.
    /// - Parameters:
    ///   - address: a numeric address of the host; nil lets the library resolve the host's name, and then its TCP
    ///     connection blocks this thread. TLS needs the name, which the certificate is checked against.
    init(_ options: Options, address: String?, session: Session) throws(MQTTError) {
        attempted = "connect to \(options.address)"
        self.options = options
        self.session = session
        try check(libraryCode, "start libmosquitto")
        guard let handle = mosquitto_new(options.clientID, true, nil) else {
            throw MQTTError(.invalid, attempted, "the client id \"\(options.clientID)\" cannot be used")
        }
        self.handle = handle
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        try configure()
        try configureTLS()
        setCallbacks()
        try announce()
        let keepAlive = Int32(clamping: options.keepAlive.components.seconds)
        let code =
            if let path = options.socketPath {
                mosquitto_connect(handle, path, 0, keepAlive)
            } else if let address {
                mosquitto_connect_async(handle, address, Int32(options.port), keepAlive)
            } else {
                mosquitto_connect(handle, options.host, Int32(options.port), keepAlive)
            }
        try checkConnected(code)
    }

    deinit { mosquitto_destroy(handle) }

    /// The socket, or -1 when the library has closed it.
    var socket: Int32 { mosquitto_socket(handle) }

    private func configure() throws(MQTTError) {
        let version = options.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try set(MOSQ_OPT_PROTOCOL_VERSION, version)
        try set(MOSQ_OPT_RECEIVE_MAXIMUM, Int32(options.receiveMaximum))
        try set(MOSQ_OPT_SEND_MAXIMUM, 65_535)  // MQTT 5 brokers name their own in CONNACK.
        try set(MOSQ_OPT_TCP_NODELAY, 1)
        // Without it acknowledgements leave before the message callback runs (handle_publish.c, packet_mosq.c;
        // KnownFactsTests).
        try check(mosquitto_threaded_set(handle, true), attempted)
        if let username = options.username {
            let password = try options.passwordFile.map { path throws(MQTTError) in try PasswordFile.read(path) }
            try check(mosquitto_username_pw_set(handle, username, password), attempted)
        }
        if let will = options.will {
            try will.checkPublishable(options.version, maximumPacketSize: nil)
            let list = try PropertyList(options.version == .v5 ? will.properties : nil)
            let code = mosquitto_will_set_v5(
                handle, will.topic, Int32(clamping: will.payload.count), will.payload, Int32(will.qos.rawValue),
                will.retain, list.first)
            try check(code, "set the will to \(will.topic)")
            _ = list.release()  // On success the library keeps it.
        }
    }

    /// Tells the broker, with the CONNECT that follows, how large a packet to us may be: no stranger should decide
    /// that.
    private func announce() throws(MQTTError) {
        guard options.version == .v5 else { return }
        var list: OpaquePointer?
        defer { mosquitto_property_free_all(&list) }
        let identifier = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
        try check(mosquitto_property_add_int32(&list, identifier, options.maximumPacketSize), attempted)
        // The library takes properties only in the function that connects and waits. Without a host that does not
        // connect, but keeps them for what connects next (connect.c, mosquitto_connect_bind_v5; pinned by
        // KnownFactsTests).
        _ = mosquitto_connect_bind_v5(handle, nil, 0, 5, nil, list)
    }

    private func configureTLS() throws(MQTTError) {
        guard let tls = options.tls else { return }
        // mosquitto_tls_set wants a file or a directory. This one is the system's store on Debian.
        let caPath = tls.caPath ?? (tls.caFile == nil ? "/etc/ssl/certs" : nil)
        for file in [tls.caFile, caPath, tls.certificateFile, tls.keyFile] {
            guard let file, access(file, R_OK) != 0 else { continue }
            throw MQTTError(.tls, attempted, "\(file): \(String(cString: strerror(errno)))")
        }
        mosquitto_log_callback_set(handle) { _, object, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            Connection.of(object)?.lastComplaint = String(cString: text)
        }
        try checkTLS(mosquitto_tls_set(handle, tls.caFile, caPath, tls.certificateFile, tls.keyFile, nil))
        try checkTLS(mosquitto_tls_opts_set(handle, 1, tls.minimumVersion.rawValue, nil))
        try checkTLS(mosquitto_tls_insecure_set(handle, tls.skipsNameCheck))
    }

    private func set(_ option: mosq_opt_t, _ value: Int32) throws(MQTTError) {
        try check(mosquitto_int_option(handle, option, value), attempted)
    }

    private func checkTLS(_ code: Int32) throws(MQTTError) {
        do { try check(code, attempted) } catch {
            throw MQTTError(.tls, attempted, "the TLS files or options are refused", hint: tlsFiles)
        }
    }

    /// Like `check`, with what is known about the connection.
    private func checkConnected(_ code: Int32) throws(MQTTError) {
        do { try check(code, attempted) } catch {
            throw explained(error)
        }
    }

    /// A library's error, or the better explanation that the broker or TLS have given.
    private func explained(_ error: MQTTError) -> MQTTError {
        if let refusal { return refusal }
        guard options.tls != nil, !isAccepted else { return error }
        guard let lastComplaint else {
            // libmosquitto 2.0.21 says no more where nobody listens.
            guard error.kind == .tls else { return error }
            return MQTTError(
                .tls, attempted, error.reason, hint: "is a broker listening there, and does it speak TLS?")
        }
        return MQTTError(.tls, attempted, lastComplaint, hint: tlsFiles)
    }

    private var tlsFiles: String? {
        guard let tls = options.tls else { return nil }
        let trusted = tls.caFile ?? tls.caPath ?? "the system's certificates"
        let own = tls.certificateFile.map { ", \($0)" } ?? ""
        return "check \(trusted)\(own), and that the broker's certificate is made out to \(options.host)"
    }
}

// MARK: Turns

extension Connection {
    /// Reads what one call reads.
    /// - Returns: whether there may be more.
    func read() throws(MQTTError) -> Bool {
        let before = callbacks
        errno = 0
        let code = mosquitto_loop_read(handle, 1)
        // EAGAIN says that the socket is empty, unless a callback ran: then it may come from the library's full wake-up
        // pipe, which nobody reads here. With TLS, a packet that waits in its buffer would never wake `poll`, so only
        // EAGAIN ends the reading.
        let isEmpty = errno == EAGAIN && callbacks == before
        try checkConnected(code)
        try checkOpen()
        if !isEmpty, wasRefusedUnheard { throw MQTTError.system(ECONNREFUSED, attempted) }
        return !isEmpty
    }

    /// Writes what the socket accepts.
    /// - Parameter isMuch: many small packets are waiting, such as the acknowledgements of a batch. The library writes
    ///   each by itself; the kernel then holds them together, and sends as few segments as they fit in. Otherwise each
    ///   is a segment, because nothing should wait (TCP_NODELAY), and costs this machine and the broker more than
    ///   everything else that is done with its message.
    func write(isMuch: Bool = false) throws(MQTTError) {
        if isMuch { holdTogether(true) }
        defer { if isMuch { holdTogether(false) } }
        try checkConnected(mosquitto_loop_write(handle, 1))
        try checkOpen()
    }

    /// tcp(7): TCP_CORK wins over TCP_NODELAY, and its end sends what is left. A socket that is not TCP's refuses it,
    /// and needs none.
    private func holdTogether(_ isOn: Bool) {
        var value: Int32 = isOn ? 1 : 0
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// How many bytes the socket has that nobody has read.
    var waitingBytes: Int {
        var count: Int32 = 0
        return ioctl(socket, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Whether the library has something left to write.
    var wantsToWrite: Bool { mosquitto_want_write(handle) }

    /// Keeps the connection alive, or finds that it is dead.
    func keepAlive() throws(MQTTError) {
        try checkConnected(mosquitto_loop_misc(handle))
        try checkOpen()
    }

    /// The library closes the socket without an error after the broker's DISCONNECT and after ours.
    private func checkOpen() throws(MQTTError) {
        guard socket < 0 else { return }
        throw explained(MQTTError(.unreachable, attempted, "the connection was closed"))
    }

    /// The error that `poll` has found at the socket, if any.
    func socketError() -> MQTTError? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code != 0 else { return nil }
        return MQTTError.system(code, attempted)
    }

    /// Whether the connection was refused, and nobody was told. With TLS, the library tries the handshake before anybody
    /// waits for the connection. If that was refused at once, as on this machine, the handshake takes the socket's
    /// error, and the library goes on as if it had to wait (net_mosq.c, net__socket_connect_tls), for ever and without
    /// EAGAIN.
    private var wasRefusedUnheard: Bool {
        guard options.tls != nil, !isAccepted else { return false }
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) }
        }
        return code != 0 && errno == ENOTCONN
    }

    /// Hands a message to the library.
    /// - Returns: the packet's id.
    func publish(_ message: Message) throws(MQTTError) -> Int32 {
        try message.checkPublishable(options.version, maximumPacketSize: maximumPacketSize)
        var id: Int32 = 0
        let count = Int32(clamping: message.payload.count)
        let qos = Int32(message.qos.rawValue)
        guard options.version == .v5, let properties = message.properties else {
            let code = mosquitto_publish_v5(
                handle, &id, message.topic, count, message.payload, qos, message.retain, nil)
            try check(code, "publish to \(message.topic)")
            return id
        }
        let list = try PropertyList(properties)
        let code = mosquitto_publish_v5(
            handle, &id, message.topic, count, message.payload, qos, message.retain, list.first)
        try check(code, "publish to \(message.topic)")
        return id
    }

    func subscribe(_ subscription: Subscription) throws(MQTTError) -> Int32 {
        try subscription.checkFilter()
        var id: Int32 = 0
        let bits = options.version == .v5 ? subscription.optionBits : 0
        let code = mosquitto_subscribe_v5(
            handle, &id, subscription.filter, Int32(subscription.qos.rawValue), bits, nil)
        try check(code, "subscribe to \(subscription.filter)")
        return id
    }

    @discardableResult
    func unsubscribe(_ filter: String) throws(MQTTError) -> Int32 {
        var id: Int32 = 0
        try check(mosquitto_unsubscribe(handle, &id, filter), "unsubscribe from \(filter)")
        return id
    }

    func disconnect() throws(MQTTError) {
        try check(mosquitto_disconnect(handle), "disconnect from \(options.address)")
    }
}

// MARK: Callbacks

extension Connection {
    fileprivate static func of(_ object: UnsafeMutableRawPointer?) -> Connection? {
        object.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, object, code, flags, properties in
            Connection.of(object)?.answered(UInt8(truncatingIfNeeded: code), flags, properties)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, object, code, _ in
            Connection.of(object)?.ended(code)
        }
        mosquitto_message_v5_callback_set(handle) { _, object, message, properties in
            guard let message = message?.pointee else { return }
            Connection.of(object)?.received(message, properties)
        }
        mosquitto_publish_v5_callback_set(handle) { _, object, id, code, _ in
            Connection.of(object)?.acknowledged(id, UInt8(truncatingIfNeeded: code))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, object, id, count, granted, _ in
            guard count > 0, let granted else { return }
            Connection.of(object)?.subscribed(id, UInt8(truncatingIfNeeded: granted[0]))
        }
        mosquitto_unsubscribe_v5_callback_set(handle) { _, object, id, _ in
            Connection.of(object)?.unsubscribed(id)
        }
    }

    private func answered(_ code: UInt8, _ flags: Int32, _ properties: OpaquePointer?) {
        callbacks += 1
        guard code == 0 else {
            refusal = refusedConnection(code)
            return
        }
        isAccepted = true
        var size: UInt32 = 0
        let identifier = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
        if mosquitto_property_read_int32(properties, identifier, &size, false) != nil {
            maximumPacketSize = Int(size)
        }
        if options.tls != nil { mosquitto_log_callback_set(handle, nil) }
        session.accepted(sessionPresent: flags & 1 != 0)
    }

    private func refusedConnection(_ code: UInt8) -> MQTTError {
        let isNotAuthorized =
            options.version == .v5
            ? code == MQTT_RC_NOT_AUTHORIZED.rawValue || code == MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue
            : code == CONNACK_REFUSED_NOT_AUTHORIZED.rawValue || code == CONNACK_REFUSED_BAD_USERNAME_PASSWORD.rawValue
        let user = options.username.map { "user \($0)" } ?? "user, none is set"
        let hint = isNotAuthorized ? "check \(user), and \(options.passwordFile ?? "password file, none is set")" : nil
        guard options.version == .v311 else { return .refused(code, attempted, hint: hint) }
        let text = String(cString: mosquitto_connack_string(Int32(code)))
        return MQTTError(.refused, attempted, text.sentence, hint: hint, reasonCode: code)
    }

    /// `code` is a reason code if the broker has sent a DISCONNECT: those start at 0x80, the library's errors do
    /// not.
    private func ended(_ code: Int32) {
        callbacks += 1
        guard code >= 0x80, refusal == nil else { return }
        let code = UInt8(truncatingIfNeeded: code)
        let isTakenOver = code == MQTT_RC_SESSION_TAKEN_OVER.rawValue
        let hint = isTakenOver ? "another client has the id \(options.clientID)" : nil
        refusal = .refused(code, "stay connected to \(options.address)", hint: hint)
    }

    /// The one copy of a received message.
    private func received(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        callbacks += 1
        let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        session.deliver(
            Message(
                topic: topic(message.topic), payload: [UInt8](bytes),
                qos: message.qos == 0 ? .atMostOnce : .atLeastOnce, retain: message.retain,
                properties: Message.Properties(properties)))
    }

    /// The topic of a message. Most have the topic of the message before, and share its text.
    private func topic(_ bytes: UnsafePointer<CChar>) -> String {
        let count = strlen(bytes)
        let isLast = lastTopic.utf8.withContiguousStorageIfAvailable { last in
            count > 0 && last.count == count && last.baseAddress.map { memcmp($0, bytes, count) } == 0
        }
        if isLast != true { lastTopic = String(cString: bytes) }
        return lastTopic
    }

    private func acknowledged(_ id: Int32, _ code: UInt8) {
        callbacks += 1
        session.acknowledged(id, code)
    }

    private func subscribed(_ id: Int32, _ code: UInt8) {
        callbacks += 1
        session.subscribed(id, code)
    }

    private func unsubscribed(_ id: Int32) {
        callbacks += 1
        session.unsubscribed(id)
    }
}
