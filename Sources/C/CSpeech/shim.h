#include <stdlib.h>
#include <speech-dispatcher/libspeechd.h>
