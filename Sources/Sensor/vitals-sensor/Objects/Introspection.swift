/// An object's description in XML, as the D-Bus Specification requires it ("Introspection Data Format").
struct Introspection {
    private var lines: [String] = []

    /// The document.
    var text: String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        \(lines.joined(separator: "\n"))
        </node>

        """
    }

    mutating func add(_ xml: String) { lines.append(xml) }

    mutating func add(child: String) { lines.append("<node name=\"\(child)\"/>") }

    mutating func add(_ interface: Interface) {
        lines.append("<interface name=\"\(interface.name)\">")
        for method in interface.methods {
            lines.append("<method name=\"\(method.name)\">")
            for (name, type) in method.takes {
                lines.append("<arg name=\"\(name)\" type=\"\(type)\" direction=\"in\"/>")
            }
            for (name, type) in method.gives {
                lines.append("<arg name=\"\(name)\" type=\"\(type)\" direction=\"out\"/>")
            }
            lines.append("</method>")
        }
        for property in interface.properties {
            let access = property.set == nil ? "read" : "readwrite"
            lines.append("<property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\"/>")
        }
        lines.append("</interface>")
    }

    static let introspectable = """
        <interface name="org.freedesktop.DBus.Introspectable">
        <method name="Introspect"><arg name="xml" type="s" direction="out"/></method>
        </interface>
        """

    static let objectManager = """
        <interface name="org.freedesktop.DBus.ObjectManager">
        <method name="GetManagedObjects"><arg name="objects" type="a{oa{sa{sv}}}" direction="out"/></method>
        <signal name="InterfacesAdded">
        <arg name="object" type="o"/>
        <arg name="interfaces" type="a{sa{sv}}"/>
        </signal>
        <signal name="InterfacesRemoved">
        <arg name="object" type="o"/>
        <arg name="interfaces" type="as"/>
        </signal>
        </interface>
        """

    static let properties = """
        <interface name="org.freedesktop.DBus.Properties">
        <method name="Get">
        <arg name="interface" type="s" direction="in"/>
        <arg name="name" type="s" direction="in"/>
        <arg name="value" type="v" direction="out"/>
        </method>
        <method name="Set">
        <arg name="interface" type="s" direction="in"/>
        <arg name="name" type="s" direction="in"/>
        <arg name="value" type="v" direction="in"/>
        </method>
        <method name="GetAll">
        <arg name="interface" type="s" direction="in"/>
        <arg name="properties" type="a{sv}" direction="out"/>
        </method>
        <signal name="PropertiesChanged">
        <arg name="interface" type="s"/>
        <arg name="changed_properties" type="a{sv}"/>
        <arg name="invalidated_properties" type="as"/>
        </signal>
        </interface>
        """
}
