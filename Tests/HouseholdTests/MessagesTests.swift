import Foundation
import TestSupport
import Testing

@Suite("Messages of a household")
struct MessagesTests {
    @Test(
        "are what the AsyncAPI document says: of gateway, sensors, requests, replies, consumer, and for Home Assistant")
    func messages() throws {
        let household = try Household(
            gatewaySettings: "home_assistant: {},", consumerSettings: "home_assistant: { people: [\"demo\"] },",
            isForHomeAssistant: true)
        try household.broker.start()
        let password = try String(contentsOfFile: household.broker.folder.path("consumer.password"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let all = try household.subscribe(
            "vitals/v1/#",
            [
                "-V", "mqttv5", "--retain-as-published", "-q", "1", "-u", "consumer", "-P", password,
                "-F", "message %r %q %t %x",
            ])
        let described = try household.subscribe(
            "homeassistant/#",
            ["-V", "mqttv5", "--retain-as-published", "-q", "1", "-F", "message %r %q %t %x"]
                + household.credentials("homeassistant"))
        try household.startConsumer()
        try household.startGateway()
        try household.waitForHealth { $0.contains(#""recorded_sensors":["strap"]"#) }
        try household.startSensor(["--activity", Household.recording("run-9km.csv"), "--speed", "60", "--loop"])
        #expect(all.line(containing: "/sensors/strap/heart-rate ") != nil)
        for topic in ["sensors/strap/steps/get", "sensors/strap/temperature/get"] {
            #expect(try household.ask(topic)["status"] as? String == "ok", "\(topic)")
        }
        for (request, payload) in [
            ("scan", #"{"seconds":1}"#), ("rename", #"{"sensor":"strap","name":"Chest","id":7}"#),
            ("disconnect", #"{"sensor":"strap"}"#), ("connect", #"{"sensor":"strap"}"#),
            ("forget", #"{"sensor":"strap"}"#), ("rename", #"{"sensor":"none","name":""}"#),
        ] {
            #expect(try household.ask("requests/\(request)", payload: payload)["status"] != nil, "\(request)")
        }
        for verb in ["goals/get", "statistics/today"] {
            try RunningProgram.run(
                "mosquitto_pub",
                [
                    "-p", "\(household.broker.port)", "-u", "consumer", "-P", password, "-q", "1", "-t",
                    "vitals/v1/users/demo/requests/\(verb)", "-m", #"{"id":"mine"}"#,
                ])
            #expect(all.line(containing: "/users/demo/responses/\(verb) ") != nil)
        }
        household.gateway?.end()
        household.consumer?.end()
        #expect(all.line(containing: "status 7b227374617465223a226f66666c696e65") != nil)
        #expect(described.line(containing: "homeassistant/device/vitals_people/demo/config ") != nil)
        let messages = (all.lines + described.lines).filter { $0.hasPrefix("message ") }.map {
            $0.dropFirst("message ".count)
        }
        let file = try household.folder.write(messages.joined(separator: "\n"), to: "messages")
        let said = try RunningProgram.runPython(
            ["\(projectFolder)/Tests/HouseholdTests/asyncapi.py", projectFolder, file])
        for channel in ["status", "info", "health", "events", "sensors.sensor.info", "sensors.sensor.availability"] {
            #expect(said.contains("gateways.gateway.\(channel)"), "\(said)")
        }
        for channel in ["device.gateway.config", "device.gateway.sensor.config", "device.vitals_people.user.config"] {
            #expect(said.contains("homeassistant.\(channel)"), "\(said)")
        }
        #expect(said.contains("home-assistant.user.today"), "\(said)")
    }
}
