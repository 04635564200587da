internal import CCurl

/// libcurl refused an option.
struct CurlRefusal: Error {
    let code: CURLcode
}

/// One `CURL` handle with its header list; freed with the object, after it has left its multi handle.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?

    /// Nil when memory is short.
    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headers)
    }

    /// Forgets every option; keeps the caches.
    func reset() {
        curl_easy_reset(pointer)
        curl_slist_free_all(headers)
        headers = nil
    }

    func set(_ option: CURLoption, _ value: Int) throws(CurlRefusal) {
        try check(CCurl_set_long(pointer, option, value))
    }

    func set(_ option: CURLoption, _ value: Bool) throws(CurlRefusal) {
        try check(CCurl_set_long(pointer, option, value ? 1 : 0))
    }

    func set(offset option: CURLoption, _ value: Int) throws(CurlRefusal) {
        try check(CCurl_set_offset(pointer, option, curl_off_t(value)))
    }

    /// libcurl copies the string.
    func set(_ option: CURLoption, _ value: String) throws(CurlRefusal) {
        try check(value.withCString { CCurl_set_pointer(pointer, option, $0) })
    }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) throws(CurlRefusal) {
        try check(CCurl_set_pointer(pointer, option, value))
    }

    /// Real time, at least a millisecond: libcurl reads 0 as "no limit".
    func set(milliseconds option: CURLoption, _ duration: Duration) throws(CurlRefusal) {
        try set(option, Int(max(1, min(duration / .milliseconds(1), Double(Int32.max)))))
    }

    func check(_ code: CURLcode) throws(CurlRefusal) {
        guard code == CURLE_OK else { throw CurlRefusal(code: code) }
    }

    /// `Name: value` lines; the list lives as long as the handle uses it.
    func set(headerLines lines: [String]) throws(CurlRefusal) {
        for line in lines {
            guard let longer = curl_slist_append(headers, line) else { throw CurlRefusal(code: CURLE_OUT_OF_MEMORY) }
            headers = longer
        }
        try check(CCurl_set_pointer(pointer, CURLOPT_HTTPHEADER, headers))
    }

    /// A number about the transfer; nil if libcurl has none.
    func long(_ info: CURLINFO) -> Int? {
        var value = 0
        return CCurl_get_long(pointer, info, &value) == CURLE_OK ? value : nil
    }
}
