// A connection to a message bus, on an event loop.
//
// libdbus is used for what it does best (addresses, authentication, framing, descriptors) and for nothing else:
// messages are popped from its queue one by one rather than dispatched, so there are no filters, and replies are
// matched to calls by serial here, each with a time limit of our own. A BlueZ call may take 41 s or never answer, and
// libdbus's own timeouts run only if the timeout functions are installed.

import CDBus
public import Reactor

/// A private connection to a bus. Belongs to its loop: everything is called, and calls back, on the loop's thread.
// Proof of @unchecked: see above; `assert(loop.isCurrent)` checks it.
public final class Connection: @unchecked Sendable {
    public enum Address: Equatable, Sendable, CustomStringConvertible {
        /// The system bus, or what DBUS_SYSTEM_BUS_ADDRESS names.
        case system
        /// Such as `unix:path=/run/vitals/bus`.
        case address(String)

        public var description: String {
            switch self {
            case .system: "the system bus"
            case .address(let text): text
            }
        }
    }

    public typealias Completion = (Result<Message, DBusError>) -> Void

    private struct Pending {
        let completion: Completion
        let timer: EventLoop.Timer
    }

    /// A signal has come. `match` decides which ones come.
    public var onSignal: ((Message) -> Void)?
    /// A method was called; it must be answered with `reply` or `refuse`, now or later. Without a handler, callers get
    /// UnknownMethod.
    public var onCall: ((Message) -> Void)?
    /// The bus has gone away. The connection is closed already, and open calls have failed.
    public var onDisconnected: (() -> Void)?

    public let loop: EventLoop
    private var handle: OpaquePointer?
    private var watches: [OpaquePointer: EventLoop.Watch] = [:]
    private var pending: [UInt32: Pending] = [:]
    private var isHookSet = false

    public init(on loop: EventLoop) { self.loop = loop }

    deinit { if let handle { Self.release(handle) } }

    public var isOpen: Bool { handle != nil }

    /// Our unique name on the bus, such as `:1.42`; empty while closed.
    public var uniqueName: String {
        guard let handle, let name = dbus_bus_get_unique_name(handle) else { return "" }
        return String(cString: name)
    }

    /// Connects, and waits until the bus has said hello: milliseconds, unless the bus hangs.
    public func open(_ address: Address) throws(DBusError) {
        assert(loop.isCurrent)
        close()
        let connection: OpaquePointer? = try check { error in
            switch address {
            case .system: dbus_bus_get_private(DBUS_BUS_SYSTEM, error)
            case .address(let text): dbus_connection_open_private(text, error)
            }
        }
        guard let connection else { throw DBusError.disconnected("no connection to \(address)") }
        // Otherwise libdbus ends the process when the bus goes away.
        dbus_connection_set_exit_on_disconnect(connection, 0)
        if case .address = address {
            do throws(DBusError) { _ = try check { dbus_bus_register(connection, $0) } } catch {
                Self.release(connection)
                throw error
            }
        }
        handle = connection
        installWatches(connection)
        guard !isHookSet else { return }
        isHookSet = true
        loop.beforeWaiting { [weak self] in self?.drain() }
    }

    /// Ends the connection; open calls fail with `Disconnected`. `onDisconnected` is not called.
    public func close() {
        guard let handle else { return }
        self.handle = nil
        dbus_connection_set_watch_functions(handle, nil, nil, nil, nil, nil)
        for watch in watches.values { watch.cancel() }
        watches = [:]
        Self.release(handle)
        let open = pending
        pending = [:]
        for call in open.values {
            call.timer.cancel()
            call.completion(.failure(.disconnected("the connection to the bus has ended")))
        }
    }

    /// Calls a method. The completion gets the reply, the error that was answered, or `NoReply` when the limit has
    /// passed; always later, never from within this call.
    public func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [Value] = [],
        limit: Duration, completion: @escaping Completion
    ) {
        assert(loop.isCurrent)
        do throws(DBusError) {
            let message = try Writer(
                dbus_message_new_method_call(destination, path, interface, member),
                what: "\(interface).\(member) at \(path)")
            try message.append(arguments)
            let serial = try send(message)
            let timer = loop.after(limit) { [weak self] in
                guard let call = self?.pending.removeValue(forKey: serial) else { return }
                let words = "\(member) was not answered within \(limit)"
                call.completion(.failure(DBusError(name: DBusError.Name.noReply, message: words)))
            }
            pending[serial] = Pending(completion: completion, timer: timer)
        } catch {
            loop.after(.zero) { completion(.failure(error)) }
        }
    }

    /// Asks the bus for the signals that a rule describes.
    public func match(_ rule: String, completion: @escaping Completion = { _ in }) {
        callBus("AddMatch", [.string(rule)], completion)
    }

    /// Asks for a well-known name; refused with an error if another program owns it.
    public func requestName(_ name: String, completion: @escaping (Result<Void, DBusError>) -> Void) {
        callBus("RequestName", [.string(name), .uint32(UInt32(DBUS_NAME_FLAG_DO_NOT_QUEUE))]) { result in
            completion(
                result.flatMap { reply in
                    guard reply.arguments.first?.asInteger == Int64(DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER) else {
                        let words = "another program owns \(name) on this bus"
                        return .failure(DBusError(name: DBusError.Name.accessDenied, message: words))
                    }
                    return .success(())
                })
        }
    }

    /// Calls a method of the bus itself.
    public func callBus(_ member: String, _ arguments: [Value], _ completion: @escaping Completion) {
        let bus = "org.freedesktop.DBus"
        call(bus, "/org/freedesktop/DBus", bus, member, arguments, limit: .seconds(10), completion: completion)
    }

    /// Answers a method call.
    public func reply(to call: Message, _ arguments: [Value] = []) {
        guard call.expectsReply else { return }
        sendOrRefuse(call) { () throws(DBusError) in
            let message = try Writer(dbus_message_new_method_return(call.handle), what: "a reply")
            try message.append(arguments)
            _ = try self.send(message)
        }
    }

    /// Answers a method call with an error.
    public func refuse(_ call: Message, _ error: DBusError) {
        guard call.expectsReply else { return }
        let message = dbus_message_new_error(call.handle, error.name, error.message)
        guard let message, let writer = try? Writer(message, what: error.name) else { return }
        _ = try? send(writer)
    }

    /// Sends a signal to every program with a matching rule.
    public func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [Value]) throws(DBusError) {
        let message = try Writer(
            dbus_message_new_signal(path, interface, member), what: "\(interface).\(member) at \(path)")
        try message.append(arguments)
        _ = try send(message)
    }

    // MARK: Within a turn of the loop

    private func send(_ message: borrowing Writer) throws(DBusError) -> UInt32 {
        guard let handle else { throw DBusError.disconnected("there is no connection to the bus") }
        var serial: UInt32 = 0
        guard dbus_connection_send(handle, message.handle, &serial) != 0 else {
            throw DBusError(name: DBusError.Name.invalidArguments, message: "no memory to send a message")
        }
        return serial
    }

    private func sendOrRefuse(_ call: Message, _ body: () throws(DBusError) -> Void) {
        do throws(DBusError) { try body() } catch { refuse(call, error) }
    }

    /// Handles what libdbus has read, message by message.
    private func drain() {
        while let handle, let next = dbus_connection_pop_message(handle) { route(Message(adopting: next)) }
    }

    private func route(_ message: Message) {
        switch message.kind {
        case .reply, .error:
            guard let call = pending.removeValue(forKey: message.replySerial) else { return }
            call.timer.cancel()
            call.completion(message.kind == .reply ? .success(message) : .failure(message.error))
        case .signal where message.isSignal("org.freedesktop.DBus.Local", "Disconnected"):
            close()
            onDisconnected?()
        case .signal:
            onSignal?(message)
        case .call:
            guard let onCall else {
                let words = "this program has no methods"
                return refuse(message, DBusError(name: DBusError.Name.unknownMethod, message: words))
            }
            onCall(message)
        }
    }

    // MARK: libdbus's descriptors in the loop's poll set

    private func installWatches(_ connection: OpaquePointer) {
        // Unretained: `close` takes the functions away before `self` can go.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let isInstalled = dbus_connection_set_watch_functions(
            connection,
            { watch, context in
                if let watch { Connection.from(context)?.update(watch) }
                return 1
            },
            { watch, context in if let watch { Connection.from(context)?.remove(watch) } },
            { watch, context in if let watch { Connection.from(context)?.update(watch) } },
            context, nil)
        precondition(isInstalled != 0, "no memory for libdbus's watches")
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Connection? {
        context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func update(_ watch: OpaquePointer) {
        remove(watch)
        guard dbus_watch_get_enabled(watch) != 0 else { return }
        let flags = dbus_watch_get_flags(watch)
        var events: EventLoop.Events = []
        if flags & DBUS_WATCH_READABLE.rawValue != 0 { events.insert(.readable) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { events.insert(.writable) }
        watches[watch] = loop.watch(dbus_watch_get_unix_fd(watch), for: events) { [weak self] found in
            var flags: UInt32 = 0
            if found.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
            if found.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
            if !found.isDisjoint(with: .failed) { flags |= DBUS_WATCH_HANGUP.rawValue }
            guard self != nil else { return }
            _ = dbus_watch_handle(watch, flags)
            self?.drain()
        }
    }

    private func remove(_ watch: OpaquePointer) { watches.removeValue(forKey: watch)?.cancel() }

    private static func release(_ handle: OpaquePointer) {
        dbus_connection_close(handle)
        dbus_connection_unref(handle)
    }
}
