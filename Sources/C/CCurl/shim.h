#include <curl/curl.h>

// Swift imports no variadic function, and curl_easy_setopt and curl_easy_getinfo are: one function for each type of value.
static inline CURLcode vitals_curl_set_number(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode vitals_curl_set_text(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode vitals_curl_set_large(CURL *curl, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode vitals_curl_set_list(CURL *curl, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(curl, option, value);
}
static inline CURLcode vitals_curl_set_body(CURL *curl, curl_write_callback callback, void *data) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_WRITEDATA, data);
}
static inline CURLcode vitals_curl_set_header(CURL *curl, curl_write_callback callback, void *data) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_HEADERDATA, data);
}
static inline CURLcode vitals_curl_set_progress(CURL *curl, curl_xferinfo_callback callback, void *data) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_XFERINFODATA, data);
}
// The list of names since 7.85, the bits that it replaces before.
static inline CURLcode vitals_curl_allow_only(CURL *curl, int is_secure) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, is_secure ? "https" : "http");
#else
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(is_secure ? CURLPROTO_HTTPS : CURLPROTO_HTTP));
#endif
}
// The value of CURL_SSLVERSION_TLSv1_2 and CURL_GLOBAL_DEFAULT, whose macros and enumerations differ between versions.
static inline CURLcode vitals_curl_require_tls12(CURL *curl) {
    return curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
}
static inline CURLcode vitals_curl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }
static inline CURLcode vitals_curl_status(CURL *curl, long *status) {
    return curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
}
// Since 7.87: a look-up of a name that is under way when its transfer ends is not waited for.
static inline CURLcode vitals_curl_leave_resolvers(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#else
    return CURLE_OK;
#endif
}
// Connections that were made for one handle are there for others that have the same share.
static inline CURLSHcode vitals_curl_share_connections(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
}
static inline CURLcode vitals_curl_use_share(CURL *curl, CURLSH *share) {
    return curl_easy_setopt(curl, CURLOPT_SHARE, share);
}
static const long vitals_curl_basic = (long)CURLAUTH_BASIC;
static const long vitals_curl_digest = (long)CURLAUTH_DIGEST;
// The size is set before; libcurl keeps a copy.
static inline CURLcode vitals_curl_set_body_to_send(CURL *curl, const void *bytes) {
    return curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, bytes);
}
static inline CURLcode vitals_curl_set_open_socket(CURL *curl, curl_opensocket_callback callback, void *data) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, data);
}
// What is behind `addr` is longer than that member says: see its size.
static inline const void *vitals_curl_address(const struct curl_sockaddr *address) { return &address->addr; }
