#include <dbus/dbus.h>

// Swift imports no macro with a cast in it: DBUS_TYPE_BYTE is ((int) 'y').
static const int VITALS_DBUS_BYTE = DBUS_TYPE_BYTE;
static const int VITALS_DBUS_BOOLEAN = DBUS_TYPE_BOOLEAN;
static const int VITALS_DBUS_INT16 = DBUS_TYPE_INT16;
static const int VITALS_DBUS_UINT16 = DBUS_TYPE_UINT16;
static const int VITALS_DBUS_INT32 = DBUS_TYPE_INT32;
static const int VITALS_DBUS_UINT32 = DBUS_TYPE_UINT32;
static const int VITALS_DBUS_INT64 = DBUS_TYPE_INT64;
static const int VITALS_DBUS_UINT64 = DBUS_TYPE_UINT64;
static const int VITALS_DBUS_DOUBLE = DBUS_TYPE_DOUBLE;
static const int VITALS_DBUS_STRING = DBUS_TYPE_STRING;
static const int VITALS_DBUS_OBJECT_PATH = DBUS_TYPE_OBJECT_PATH;
static const int VITALS_DBUS_SIGNATURE = DBUS_TYPE_SIGNATURE;
static const int VITALS_DBUS_UNIX_FD = DBUS_TYPE_UNIX_FD;
static const int VITALS_DBUS_ARRAY = DBUS_TYPE_ARRAY;
static const int VITALS_DBUS_VARIANT = DBUS_TYPE_VARIANT;
static const int VITALS_DBUS_STRUCT = DBUS_TYPE_STRUCT;
static const int VITALS_DBUS_DICT_ENTRY = DBUS_TYPE_DICT_ENTRY;
