/* The floor that the gateway's cost is measured against: the least that a program can do to bring a heart rate from BlueZ's
 * interface to a broker. One thread, libdbus and libmosquitto alone, no journal, no state, no recovery: it connects the
 * devices, subscribes, and publishes each notification as the gateway's JSON at QoS 0. When anything goes wrong it ends.
 *
 *     floor BUS DEVICE-NAME PORT USER PASSWORD-FILE TOPIC [DEVICE-NAME TOPIC]…
 */
#include <dbus/dbus.h>
#include <mosquitto.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_ending;
static struct mosquitto *broker;
static int device_count;
static struct {
    const char *name, *topic;
    char characteristic[256];
} devices[16];

static void end(int number) { (void)number; is_ending = 1; }

static void fail(const char *what, const char *why) {
    fprintf(stderr, "floor: %s: %s\n", what, why);
    exit(1);
}

/* Calls a method of BlueZ's; the reply, or NULL with the error's name in `error_name`. */
static DBusMessage *call(DBusConnection *bus, const char *path, const char *interface, const char *member, char *error_name) {
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *message = dbus_message_new_method_call("org.bluez", path, interface, member);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, 45000, &error);
    dbus_message_unref(message);
    if (!reply) {
        snprintf(error_name, 128, "%s", error.name);
        dbus_error_free(&error);
    }
    return reply;
}

/* Looks through an a{sv} for a string property of that value. */
static int has_property(DBusMessageIter *properties, const char *name, const char *wanted) {
    for (; dbus_message_iter_get_arg_type(properties) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(properties)) {
        DBusMessageIter entry, variant;
        const char *text;
        dbus_message_iter_recurse(properties, &entry);
        dbus_message_iter_get_basic(&entry, &text);
        if (strcmp(text, name) != 0) continue;
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &variant);
        if (dbus_message_iter_get_arg_type(&variant) != DBUS_TYPE_STRING) return 0;
        dbus_message_iter_get_basic(&variant, &text);
        return strcmp(text, wanted) == 0;
    }
    return 0;
}

/* The path of the first object below `root` whose interface has that property; 0 where there is none. */
static int find(DBusConnection *bus, const char *root, const char *interface, const char *property, const char *wanted,
                char *found, size_t size) {
    char error[128];
    DBusMessage *reply = call(bus, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", error);
    if (!reply) fail("GetManagedObjects", error);
    DBusMessageIter arguments, object;
    int is_found = 0;
    dbus_message_iter_init(reply, &arguments);
    dbus_message_iter_recurse(&arguments, &object);
    for (; !is_found && dbus_message_iter_get_arg_type(&object) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&object)) {
        DBusMessageIter pair, interfaces;
        const char *path;
        dbus_message_iter_recurse(&object, &pair);
        dbus_message_iter_get_basic(&pair, &path);
        if (strncmp(path, root, strlen(root)) != 0) continue;
        dbus_message_iter_next(&pair);
        dbus_message_iter_recurse(&pair, &interfaces);
        for (; dbus_message_iter_get_arg_type(&interfaces) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&interfaces)) {
            DBusMessageIter entry, properties;
            const char *name;
            dbus_message_iter_recurse(&interfaces, &entry);
            dbus_message_iter_get_basic(&entry, &name);
            if (strcmp(name, interface) != 0) continue;
            dbus_message_iter_next(&entry);
            dbus_message_iter_recurse(&entry, &properties);
            if (!has_property(&properties, property, wanted)) continue;
            snprintf(found, size, "%s", path);
            is_found = 1;
        }
    }
    dbus_message_unref(reply);
    return is_found;
}

/* Connects a device and subscribes to its heart rate. */
static void subscribe(DBusConnection *bus, const char *name, char *characteristic, size_t size) {
    char device[256], error[128], rule[512];
    if (!find(bus, "/", "org.bluez.Device1", "Name", name, device, sizeof device)) fail(name, "no such device");
    DBusMessage *reply = call(bus, device, "org.bluez.Device1", "Connect", error);
    if (reply) dbus_message_unref(reply);
    else if (strcmp(error, "org.bluez.Error.AlreadyConnected") != 0) fail("Connect", error);
    for (int tries = 0; !find(bus, device, "org.bluez.GattCharacteristic1", "UUID", "00002a37-0000-1000-8000-00805f9b34fb",
                              characteristic, size); tries++) {
        if (tries == 100) fail(name, "has no heart rate measurement");
        usleep(100 * 1000);
    }
    snprintf(rule, sizeof rule, "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',path='%s'",
             characteristic);
    dbus_bus_add_match(bus, rule, NULL);
    for (int tries = 0; !(reply = call(bus, characteristic, "org.bluez.GattCharacteristic1", "StartNotify", error)); tries++) {
        if (tries == 100) fail("StartNotify", error);
        usleep(100 * 1000);
    }
    dbus_message_unref(reply);
}

/* Bluetooth SIG, Heart Rate Service 1.0, 3.1: flags, rate of 8 or 16 bits, energy, RR intervals in 1/1024 s. */
static void publish(const char *topic, const unsigned char *value, int count) {
    char json[1024];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int at = 1, flags = count > 0 ? value[0] : 0, bpm;
    if (count < 2 + (flags & 1) + (flags & 8 ? 2 : 0)) return;
    bpm = value[at++];
    if (flags & 1) bpm |= value[at++] << 8;
    int length = snprintf(json, sizeof json, "{\"time\":%lld,\"bpm\":%d",
                          (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000, bpm);
    if (flags & 4) length += snprintf(json + length, sizeof json - length, ",\"contact\":%s", flags & 2 ? "true" : "false");
    int energy = -1;
    if (flags & 8) {
        energy = value[at] | value[at + 1] << 8;
        at += 2;
    }
    if (flags & 16 && count - at >= 2) {
        const char *separator = ",\"rr_ms\":[";
        for (; count - at >= 2 && length < (int)sizeof json - 64; at += 2) {
            int interval = value[at] | value[at + 1] << 8;
            length += snprintf(json + length, sizeof json - length, "%s%d", separator, (interval * 1000 + 512) / 1024);
            separator = ",";
        }
        json[length++] = ']';
    }
    if (energy >= 0) length += snprintf(json + length, sizeof json - length, ",\"energy_kj\":%d", energy);
    json[length++] = '}';
    int code = mosquitto_publish(broker, NULL, topic, length, json, 0, false);
    if (code != MOSQ_ERR_SUCCESS) fail("publish", mosquitto_strerror(code));
}

static DBusHandlerResult receive(DBusConnection *bus, DBusMessage *message, void *context) {
    (void)bus, (void)context;
    if (!dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged"))
        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    int device = 0;
    while (device < device_count && strcmp(dbus_message_get_path(message), devices[device].characteristic) != 0) device++;
    if (device == device_count) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    DBusMessageIter arguments, entry;
    dbus_message_iter_init(message, &arguments);
    dbus_message_iter_next(&arguments);
    dbus_message_iter_recurse(&arguments, &entry);
    for (; dbus_message_iter_get_arg_type(&entry) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entry)) {
        DBusMessageIter pair, variant, bytes;
        const char *name;
        const unsigned char *value;
        int count;
        dbus_message_iter_recurse(&entry, &pair);
        dbus_message_iter_get_basic(&pair, &name);
        if (strcmp(name, "Value") != 0) continue;
        dbus_message_iter_next(&pair);
        dbus_message_iter_recurse(&pair, &variant);
        dbus_message_iter_recurse(&variant, &bytes);
        dbus_message_iter_get_fixed_array(&bytes, &value, &count);
        publish(devices[device].topic, value, count);
    }
    return DBUS_HANDLER_RESULT_HANDLED;
}

static void connect_broker(const char *port, const char *user, const char *password_file) {
    char password[256] = "";
    FILE *file = fopen(password_file, "r");
    if (!file || !fgets(password, sizeof password, file)) fail("read the password", password_file);
    fclose(file);
    password[strcspn(password, "\n")] = 0;
    mosquitto_lib_init();
    broker = mosquitto_new("floor", true, NULL);
    mosquitto_username_pw_set(broker, user, password);
    mosquitto_int_option(broker, MOSQ_OPT_TCP_NODELAY, 1);
    int code = mosquitto_connect(broker, "127.0.0.1", atoi(port), 30);
    if (code == MOSQ_ERR_SUCCESS) code = mosquitto_loop(broker, 5000, 1);
    if (code != MOSQ_ERR_SUCCESS) fail("connect to the broker", mosquitto_strerror(code));
}

int main(int count, char **words) {
    if (count < 7 || count > 37 || count % 2 == 0)
        fail("usage", "floor BUS DEVICE-NAME PORT USER PASSWORD-FILE TOPIC [DEVICE-NAME TOPIC]…");
    signal(SIGTERM, end);
    signal(SIGINT, end);
    devices[device_count].name = words[2];
    devices[device_count++].topic = words[6];
    for (int word = 7; word < count; word += 2) {
        devices[device_count].name = words[word];
        devices[device_count++].topic = words[word + 1];
    }
    connect_broker(words[3], words[4], words[5]);
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_connection_open_private(words[1], &error);
    if (!bus || !dbus_bus_register(bus, &error)) fail("connect to the bus", error.message);
    dbus_connection_add_filter(bus, receive, NULL, NULL);
    for (int i = 0; i < device_count; i++) subscribe(bus, devices[i].name, devices[i].characteristic, sizeof devices[i].characteristic);
    time_t last = 0;
    while (!is_ending && dbus_connection_read_write_dispatch(bus, 1000)) {
        /* The library writes what is published at once; it is only to be asked now and then whether a ping is due. */
        time_t now = time(NULL);
        if (now == last) continue;
        last = now;
        int code = mosquitto_loop(broker, 0, 1);
        if (code != MOSQ_ERR_SUCCESS) fail("stay connected to the broker", mosquitto_strerror(code));
    }
    mosquitto_disconnect(broker);
    dbus_connection_close(bus);
    return 0;
}
