import DBus
import Foundation
import Reactor
import TestSupport
import Testing

private let name = "org.example.Echo"

/// Two connections to one private bus, on one loop: one that serves `org.example.Echo`, one that calls it.
private final class Peers {
    let bus: PrivateBus
    let loop = EventLoop(name: "test")
    let server: Connection
    let client: Connection

    init() throws {
        bus = try PrivateBus()
        server = Connection(on: loop)
        client = Connection(on: loop)
        loop.start()
        let (server, client, address) = (server, client, Connection.Address.address(bus.addressText))
        let opened: Answer<DBusError?> = Answer()
        loop.perform {
            do throws(DBusError) {
                try server.open(address)
                try client.open(address)
                server.requestName(name) { result in
                    if case .failure(let error) = result { opened.set(error) } else { opened.set(nil) }
                }
            } catch {
                opened.set(error)
            }
        }
        if let failure = opened.wait(atMost: limit) ?? nil { throw failure }
    }

    deinit {
        let (server, client) = (server, client)
        loop.sync {
            server.close()
            client.close()
        }
        loop.stop()
    }

    /// Calls a method of the server's and waits for what comes of it.
    func call(_ member: String, _ arguments: [Value] = [], limit callLimit: Duration = limit) -> Result<
        [Value], DBusError
    >? {
        let answer = Answer<Result<[Value], DBusError>>()
        loop.perform { [client] in
            client.call(name, "/echo", name, member, arguments, limit: callLimit) { result in
                answer.set(result.map(\.arguments))
            }
        }
        return answer.wait(atMost: limit)
    }
}

@Suite("A connection to a bus")
struct ConnectionTests {
    static let values: [Value] = [
        .byte(7), .bool(true), .bool(false), .int16(-2), .uint16(65535), .int32(-70000), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-0.5), .string("héart"), .path("/org/bluez/hci0"), .signature("a{sv}"),
        .variant(.variant(.byte(1))), .bytes([]), .bytes([0, 0x50, 0xFF]), .strings([]), .strings(["a", "b"]),
        .structure([.string("x"), .bytes([1])]), .array("ai", [.array("i", [.int32(1), .int32(2)])]),
        .properties([:]), .properties(["Value": .bytes([1, 2]), "Connected": .bool(true)]),
        .dictionary("o", "a{sa{sv}}", [.init(.path("/a"), .dictionary("s", "a{sv}", []))]),
        .dictionary("q", "v", [.init(.uint16(1), .variant(.bytes([9])))]),
    ]

    @Test("carries values of every type there and back", arguments: values)
    func echo(value: Value) throws {
        let peers = try Peers()
        peers.loop.sync { [server = peers.server] in
            server.onCall = { [unowned server] call in server.reply(to: call, call.arguments) }
        }
        #expect(peers.call("Echo", [value, .string("after")]) == .success([value, .string("after")]))
    }

    @Test("gives the called program's own error, name and words")
    func errors() throws {
        let peers = try Peers()
        let failure = DBusError(name: "org.bluez.Error.NotConnected", message: "Not Connected")
        peers.loop.sync { [server = peers.server] in
            server.onCall = { [unowned server] call in server.refuse(call, failure) }
        }
        #expect(peers.call("Connect") == .failure(failure))
    }

    @Test("answers UnknownMethod for a program without methods")
    func noMethods() throws {
        let peers = try Peers()
        guard case .failure(let error) = peers.call("Connect") else { return #expect(Bool(false), "it answered") }
        #expect(error.name == DBusError.Name.unknownMethod)
    }

    @Test("ends a call that nobody answers at the caller's limit")
    func callLimit() throws {
        let peers = try Peers()
        peers.loop.sync { [server = peers.server] in server.onCall = { _ in } }
        guard case .failure(let error) = peers.call("Connect", limit: .milliseconds(20)) else {
            return #expect(Bool(false), "it answered")
        }
        #expect(error.name == DBusError.Name.noReply)
        #expect(error.message.contains("Connect was not answered within"))
    }

    @Test(
        "refuses what cannot be sent, without a word to libdbus's warnings",
        arguments: [Value.path("no path"), .string("a\0b"), .signature("(")])
    func invalid(value: Value) throws {
        let peers = try Peers()
        guard case .failure(let error) = peers.call("Echo", [value]) else { return #expect(Bool(false), "it was sent") }
        #expect(error.name == DBusError.Name.invalidArguments)
    }

    @Test("delivers the signals it asked for, and no others")
    func signals() throws {
        let peers = try Peers()
        let seen = Answer<[Value]>()
        let matched = Answer<Bool>()
        peers.loop.perform { [client = peers.client] in
            client.onSignal = { message in
                if message.isSignal("org.example.Echo", "Wanted") { seen.set(message.arguments) }
                if message.isSignal("org.example.Echo", "Unwanted") { seen.set([]) }
            }
            client.match("type='signal',interface='\(name)',member='Wanted'") { result in
                matched.set((try? result.get()) != nil)
            }
        }
        #expect(matched.wait(atMost: limit) == true)
        peers.loop.perform { [server = peers.server] in
            try? server.emit("/echo", name, "Unwanted", [])
            try? server.emit("/echo", name, "Wanted", [.uint32(5)])
        }
        #expect(seen.wait(atMost: limit) == [.uint32(5)])
    }

    @Test("finds bytes in a message without reading the rest")
    func reader() throws {
        let peers = try Peers()
        let found = Answer<[UInt8]?>()
        peers.loop.sync { [server = peers.server] in
            server.onCall = { [unowned server] call in
                var reader = call.reader
                #expect(reader.isString("org.bluez.GattCharacteristic1"))
                #expect(!reader.isString("org.bluez.GattCharacteristic"))
                #expect(reader.bytes() == nil)
                reader.next()
                var entry = reader.inside()?.inside()
                #expect(entry?.isString("Value") == true)
                entry?.next()
                found.set(entry?.inside()?.bytes())
                server.reply(to: call)
            }
        }
        let changed: [Value] = [
            .string("org.bluez.GattCharacteristic1"), .properties(["Value": .bytes([0, 80])]), .strings([]),
        ]
        #expect(peers.call("Changed", changed) == .success([]))
        #expect(found.wait(atMost: limit) == .some([0, 80]))
    }

    @Test("hands descriptors over as new ones")
    func descriptors() throws {
        let peers = try Peers()
        let pipe = Pipe()
        let number = pipe.fileHandleForWriting.fileDescriptor
        peers.loop.sync { [server = peers.server] in
            server.onCall = { [unowned server] call in server.reply(to: call, [.descriptor(number), .uint16(517)]) }
        }
        let reply = try #require(try peers.call("AcquireNotify")?.get())
        let received = try #require(reply.first?.asDescriptor)
        #expect(received != number && reply.last == .uint16(517))
        FileHandle(fileDescriptor: received, closeOnDealloc: true).write(Data([42]))
        #expect(pipe.fileHandleForReading.readData(ofLength: 1) == Data([42]))
    }

    @Test("a second owner of a name is refused, and told so")
    func nameTaken() throws {
        let peers = try Peers()
        let answer = Answer<String>()
        peers.loop.perform { [client = peers.client] in
            client.requestName(name) { result in
                if case .failure(let error) = result { answer.set(error.message) } else { answer.set("owned") }
            }
        }
        #expect(answer.wait(atMost: limit) == "another program owns org.example.Echo on this bus")
    }

    @Test("the process outlives its bus: open calls fail, and the owner is told")
    func busGone() throws {
        let peers = try Peers()
        let gone = Answer<Bool>()
        let failed = Answer<String>()
        let called = Answer<Bool>()
        peers.loop.perform { [client = peers.client, server = peers.server] in
            server.onCall = { _ in called.set(true) }
            client.onDisconnected = { [unowned client] in gone.set(!client.isOpen) }
            client.call(name, "/echo", name, "Never", limit: .seconds(60)) { result in
                if case .failure(let error) = result { failed.set(error.name) }
            }
        }
        #expect(called.wait(atMost: limit) == true)
        peers.bus.kill()
        #expect(gone.wait(atMost: limit) == true)
        #expect(failed.wait(atMost: limit) == DBusError.Name.disconnected)
    }

    @Test("no bus at an address is an error that names it")
    func noBus() throws {
        let loop = EventLoop(name: "test")
        loop.start()
        let message = loop.sync { () -> String in
            let connection = Connection(on: loop)
            do throws(DBusError) {
                try connection.open(.address("unix:path=/nonexistent/bus"))
                return "opened"
            } catch {
                return error.description
            }
        }
        loop.stop()
        #expect(message.contains("/nonexistent/bus"))
    }
}
