import Glibc
import MQTT
import Reactor
import Synchronization
import TestSupport
import Testing

@Suite("A session")
struct SessionTests {
    @Test("receives what it publishes", arguments: [Options.Version.v5, .v311])
    func roundTrip(version: Options.Version) throws {
        try Broker.with { broker in
            var options = Options(broker)
            options.version = version
            try Client.with(options) { client in
                try client.connected()
                try client.subscribe(Subscription("a/+"))
                #expect(try client.publish("hello", to: "a/b") == nil)
                let message = try client.messages.wait(for: 1)[0]
                #expect(message == Message(topic: "a/b", payload: Array("hello".utf8), qos: .atLeastOnce))
            }
        }
    }

    @Test("carries every property of a message, and empty payloads")
    func properties() throws {
        try Broker.with { broker in
            try Client.with(Options(broker)) { client in
                try client.connected()
                try client.subscribe(Subscription("t"))
                let properties = Message.Properties(
                    responseTopic: "r", correlationData: [0, 1, 255], messageExpirySeconds: 60,
                    contentType: "text/plain",
                    userProperties: [.init(name: "a", value: "1"), .init(name: "a", value: "ü")])
                let message = Message(topic: "t", payload: [], qos: .atLeastOnce, properties: properties)
                #expect(client.session.publish(message))
                #expect(try client.messages.wait(for: 1)[0] == message)
            }
        }
    }

    @Test("finds its broker by name, whichever of its addresses it listens at")
    func name() throws {
        try Broker.with { broker in
            try Client.with(Options(host: "localhost", port: broker.port, clientID: "n")) { try $0.connected() }
        }
    }

    @Test("speaks over a local socket")
    func localSocket() throws {
        try Broker.with(configuration: ["allow_anonymous true", "listener 0 {folder}/socket"]) { broker in
            var options = Options(clientID: "local")
            options.socketPath = broker.folder.path("socket")
            try Client.with(options) { client in
                try client.connected()
                #expect(try client.publish("x", to: "t") == nil)
            }
        }
    }

    @Test("outlives its broker: subscribes again before it says that it is connected")
    func outage() throws {
        try Broker.with { broker in
            try Client.with(Options(broker)) { client in
                try client.connected()
                try client.subscribe(Subscription("t"))
                broker.kill()
                let lost = try client.failure()
                #expect(lost.kind == .unreachable)
                try client.states.wait { $0.count { $0.failure != nil } >= 2 }  // and a try while there is no broker
                #expect(!client.session.publish([], to: "t", qos: .atLeastOnce))
                try broker.start()
                try client.connected(times: 2)
                try client.publish("again", to: "t")
                #expect(try client.messages.wait(for: 1).map(\.text) == ["again"])
            }
        }
    }

    @Test("says where it looked when no broker is there")
    func noBroker() throws {
        let port = try freePort()
        try Client.with(Options(host: "127.0.0.1", port: port, clientID: "x")) { client in
            let error = try client.failure()
            #expect(
                error.description == "cannot connect to 127.0.0.1:\(port): connection refused "
                    + "(is mosquitto running there? systemctl status mosquitto)")
            #expect(!client.session.publish([1], to: "t"))
        }
    }

    @Test("gives up a try that gets no answer")
    func silentBroker() throws {
        let broker = try FakeBroker()
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "x")
        options.connectTimeout = .milliseconds(50)
        try Client.with(options) { client in
            let error = try client.failure()
            #expect(error.reason.hasPrefix("no answer in"))
        }
    }

    @Test("is let in once its password is corrected", arguments: [Options.Version.v5, .v311])
    func wrongPassword(version: Options.Version) throws {
        let configuration = ["allow_anonymous false", "password_file {folder}/passwords"]
        let broker = try Broker(configuration: configuration)
        try RunningProgram.run("mosquitto_passwd", ["-c", "-b", broker.folder.path("passwords"), "anna", "right"])
        try broker.start()
        defer { broker.stop() }
        var options = Options(broker)
        options.version = version
        options.username = "anna"
        options.passwordFile = try broker.folder.write("wrong\n", to: "password")
        try Client.with(options) { client in
            let error = try client.failure()
            #expect(error.kind == .refused)
            #expect(error.reasonCode == (version == .v5 ? 0x87 : 5))
            #expect(error.hint == "check user anna, and \(broker.folder.path("password"))")
            try broker.folder.write("right\nnot this", to: "password")
            try client.connected()
        }
    }

    @Test("reads no password that others could read")
    func openPasswordFile() throws {
        let broker = try Broker()
        let path = try broker.folder.write("secret\n", to: "password")
        chmod(path, 0o640)
        var options = Options(broker)
        options.username = "anna"
        options.passwordFile = path
        try Client.with(options) { client in
            let text = try client.failure().description
            #expect(text.hasPrefix("cannot read the password file \(path): users who are not its owner may read it"))
            #expect(text.hasSuffix("(run chmod 600 \(path))"))
        }
    }

    @Test("reports a publication that is refused")
    func accessRules() throws {
        let broker = try Broker(configuration: ["allow_anonymous true", "acl_file {folder}/acl"])
        try broker.folder.write("topic readwrite mine/#\n", to: "acl")
        try broker.start()
        defer { broker.stop() }
        try Client.with(Options(broker)) { client in
            try client.connected()
            #expect(try client.publish("x", to: "mine/a") == nil)
            #expect(try client.publish("x", to: "theirs/a")?.reasonCode == 0x87)
            #expect(client.session.publish([], to: "theirs/b", qos: .atLeastOnce))
            let text = try client.problems.wait(for: 1)[0].description
            #expect(text == "cannot publish to theirs/b: not authorized")
            #expect(client.session.publish([], to: "a/+", qos: .atLeastOnce))
            #expect(try client.problems.wait(for: 2)[1].kind == .invalid)
        }
    }

    @Test("reports a subscription that is refused, and asks for it again at the next connection")
    func refusedSubscription() throws {
        // Mosquitto grants what its access file forbids, and then sends nothing.
        let broker = try FakeBroker()
        try Client.with(Options(host: "127.0.0.1", port: broker.port, clientID: "x")) { client in
            let answers = Record<MQTTError?>()
            client.session.subscribe([Subscription("theirs/#")]) { _, error in answers.append(error) }
            for number in 1...2 {
                let peer = try broker.welcome()
                let subscribe = try peer.read()
                #expect(subscribe?.type == .subscribe)
                let id = subscribe?.body.prefix(2) ?? []
                peer.write([0x90, 4] + id + [0, 0x87])
                let problem = try client.problems.wait(for: number)[number - 1]
                #expect(
                    problem.description
                        == "cannot subscribe to theirs/#: not authorized (check what the broker lets x read)")
            }
            #expect(answers.all.count == 1)
        }
    }

    @Test("keeps what is retained, and says so")
    func retained() throws {
        try Broker.with { broker in
            try Client.with(Options(broker)) { client in
                try client.connected()
                try client.publish("kept", to: "r", retain: true)
                try client.subscribe(Subscription("none", retainHandling: .doNotSend), Subscription("r"))
                #expect(try client.messages.wait(for: 1).map(\.retain) == [true])
                // A second time the broker sends it only if the subscription asks for that.
                try client.subscribe(Subscription("r", retainHandling: .doNotSend))
                try client.publish("marker", to: "r")
                #expect(try client.messages.wait(for: 2).map(\.text) == ["kept", "marker"])
                try client.subscribe(Subscription("r", noLocal: true))
                #expect(try client.messages.wait(for: 3).last?.text == "kept")
            }
        }
    }

    @Test("ends a subscription, for later connections too")
    func unsubscribes() throws {
        try Broker.with { broker in
            try Client.with(Options(broker)) { client in
                try client.connected()
                try client.subscribe(Subscription("a"), Subscription("b"))
                client.session.unsubscribe(["a"])
                try client.publish("gone", to: "a")
                try client.publish("there", to: "b")
                #expect(try client.messages.wait(for: 1).map(\.text) == ["there"])
            }
        }
    }

    @Test("leaves its will when it drops out, and none when it says goodbye", arguments: [true, false])
    func will(saysGoodbye: Bool) throws {
        try Broker.with { broker in
            try Client.with(Options(broker, clientID: "watcher")) { watcher in
                try watcher.connected()
                try watcher.subscribe(Subscription("status"))
                var options = Options(broker, clientID: "mortal")
                options.will = Message(
                    topic: "status", payload: Array("offline".utf8), qos: .atLeastOnce,
                    properties: Message.Properties(contentType: "text/plain"))
                let mortal = Client(options)
                try mortal.connected()
                mortal.session.stop(sayGoodbye: saysGoodbye)
                #expect(mortal.states.all.last == .stopped)
                if saysGoodbye {
                    try watcher.publish("marker", to: "status")
                    #expect(try watcher.messages.wait(for: 1)[0].text == "marker")
                } else {
                    let will = try watcher.messages.wait(for: 1)[0]
                    #expect(will.text == "offline" && will.properties?.contentType == "text/plain")
                }
            }
        }
    }

    @Test(
        "writes what was published before it says goodbye, and then waits for nothing",
        arguments: [QoS.atMostOnce, .atLeastOnce])
    func stopWrites(qos: QoS) throws {
        try Broker.with { broker in
            try Client.with(Options(broker, clientID: "reader")) { reader in
                try reader.connected()
                try reader.subscribe(Subscription("t"))
                let writer = Client(Options(broker, clientID: "writer"))
                try writer.connected()
                for number in 0..<500 {
                    #expect(writer.session.publish([UInt8(number % 256)], to: "t", qos: qos))
                }
                let start = ContinuousClock.now
                writer.session.stop(within: .seconds(60))
                #expect(ContinuousClock.now - start < .seconds(5))  // The session's own timers are slower.
                #expect(try reader.messages.wait(for: 500).count == 500)
                #expect(!writer.session.publish([], to: "t"))
            }
        }
    }

    @Test("names the client that has taken its id, if the broker says so")
    func takenOver() throws {
        // Mosquitto 2.0.11 just closes the connection.
        let broker = try FakeBroker()
        try Client.with(Options(host: "127.0.0.1", port: broker.port, clientID: "twin")) { client in
            let peer = try broker.welcome()
            peer.write([0xe0, 2, 0x8e, 0])
            let error = try client.failure()
            #expect(error.isTakenOver)
            #expect(error.hint == "another client has the id twin")
        }
    }

    @Test("knows MQTT's rules for filters")
    func filters() {
        #expect(topic("a/b", matches: "a/+"))
        #expect(!topic("a/b/c", matches: "a/+"))
        #expect(topic("a/b/c", matches: "a/#"))
        #expect(!topic("a", matches: "a/#/b"))
    }
}
