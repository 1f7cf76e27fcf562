#include <zlib.h>

// A macro, which Swift does not import. 15 is the largest window; 16 more says that the bytes are those of a gzip file (RFC 1952).
static inline int vitals_inflate_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
