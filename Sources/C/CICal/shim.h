#include <stdlib.h>
#include <libical/ical.h>
