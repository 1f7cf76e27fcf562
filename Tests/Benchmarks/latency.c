/* How long heart rates take from the bus to a subscriber of the broker, and whether each of them arrives, once. The sensors count:
 * each heart rate is one more than the one before it (vitals-sensor --rate), so a value says which notification it was.
 *
 *     latency BUS PORT TOPICS SECONDS
 *
 * TOPICS is a filter such as x/sensors/+/heart-rate. A sensor is known by the last digit of its address, and of its topic's level
 * before the last: one thread reads both the bus and the broker, so one clock counts. What was notified within SECONDS is waited
 * for a second longer. It prints a line of JSON, with times in microseconds. */
#include <dbus/dbus.h>
#include <mosquitto.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SENSORS 10
#define VALUES 65536

static double notified[SENSORS][VALUES];
static unsigned char arrivals[SENSORS][VALUES];
static double *delays;
static int notified_count, arrived_count, doubled_count, is_over;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "latency: %s: %s\n", what, why);
    exit(1);
}

static void receive(const char *path, DBusMessage *message) {
    const char *device = strstr(path, "/dev_");
    if (!device || strlen(device) < 22 || is_over) return;
    int sensor = device[21] - '0';
    DBusMessageIter arguments, entry, pair, variant, bytes;
    const char *name;
    const unsigned char *value;
    int count;
    dbus_message_iter_init(message, &arguments);
    dbus_message_iter_next(&arguments);
    dbus_message_iter_recurse(&arguments, &entry);
    if (dbus_message_iter_get_arg_type(&entry) != DBUS_TYPE_DICT_ENTRY) return;
    dbus_message_iter_recurse(&entry, &pair);
    dbus_message_iter_get_basic(&pair, &name);
    if (strcmp(name, "Value") != 0) return;
    dbus_message_iter_next(&pair);
    dbus_message_iter_recurse(&pair, &variant);
    dbus_message_iter_recurse(&variant, &bytes);
    dbus_message_iter_get_fixed_array(&bytes, &value, &count);
    if (sensor < 0 || sensor >= SENSORS || count < 2 + (value[0] & 1)) return;
    notified[sensor][value[0] & 1 ? value[1] | value[2] << 8 : value[1]] = now();
    notified_count++;
}

static void arrive(struct mosquitto *broker, void *context, const struct mosquitto_message *message) {
    (void)broker, (void)context;
    const char *end = strrchr(message->topic, '/');
    const char *value = message->payloadlen > 0 ? strstr(message->payload, "\"bpm\":") : NULL;
    if (!end || end == message->topic || !value) return;
    int sensor = end[-1] - '0', number = atoi(value + 6);
    if (sensor < 0 || sensor >= SENSORS || number < 0 || number >= VALUES) return;
    if (arrivals[sensor][number]++) doubled_count++;
    else if (notified[sensor][number] > 0) delays[arrived_count++] = now() - notified[sensor][number];
    /* Otherwise it was notified before this began, or after it was over. */
}

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static double percentile(double part) { return arrived_count ? delays[(int)(part * (arrived_count - 1))] : 0; }

static void drain(DBusConnection *bus) {
    DBusMessage *message;
    dbus_connection_read_write(bus, 0);
    while ((message = dbus_connection_pop_message(bus))) {
        const char *path = dbus_message_get_path(message);
        if (path && dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged")) receive(path, message);
        dbus_message_unref(message);
    }
}

int main(int count, char **words) {
    if (count != 5) fail("usage", "latency BUS PORT TOPICS SECONDS");
    delays = calloc(SENSORS * VALUES, sizeof *delays);
    mosquitto_lib_init();
    struct mosquitto *broker = mosquitto_new(NULL, true, NULL);
    mosquitto_message_callback_set(broker, arrive);
    int code = mosquitto_connect(broker, "127.0.0.1", atoi(words[2]), 60);
    if (code == MOSQ_ERR_SUCCESS) code = mosquitto_loop(broker, 5000, 1);
    if (code == MOSQ_ERR_SUCCESS) code = mosquitto_subscribe(broker, NULL, words[3], 0);
    if (code == MOSQ_ERR_SUCCESS) code = mosquitto_loop(broker, 5000, 1);
    if (code != MOSQ_ERR_SUCCESS) fail("subscribe", mosquitto_strerror(code));
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_connection_open_private(words[1], &error);
    if (!bus || !dbus_bus_register(bus, &error)) fail("connect to the bus", error.message);
    dbus_bus_add_match(bus, "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',"
                            "arg0='org.bluez.GattCharacteristic1'", NULL);
    dbus_connection_flush(bus);
    struct pollfd waited[2] = {{.events = POLLIN}, {.fd = mosquitto_socket(broker), .events = POLLIN}};
    dbus_connection_get_unix_fd(bus, &waited[0].fd);
    double end = now() + atof(words[4]) * 1e6;
    for (double time; (time = now()) < end + 1e6;) {
        is_over = time >= end;
        poll(waited, 2, 100);
        drain(bus);
        code = mosquitto_loop(broker, 0, 1);
        if (code != MOSQ_ERR_SUCCESS) fail("stay connected to the broker", mosquitto_strerror(code));
    }
    qsort(delays, arrived_count, sizeof *delays, compare);
    printf("{\"notified\": %d, \"arrived\": %d, \"lost\": %d, \"doubled\": %d, \"median\": %.0f, \"p99\": %.0f, \"worst\": %.0f}\n",
           notified_count, arrived_count, notified_count - arrived_count, doubled_count, percentile(0.5), percentile(0.99),
           percentile(1));
    return 0;
}
