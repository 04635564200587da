internal import Glibc
internal import Platform

/// A call of the system that failed: which, and with what `errno`.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name in the manual.
    package let call: String
    /// The `errno`.
    package let code: Int32

    package var description: String { "\(call): \(String(cString: strerror(code)))" }

    /// Runs `body` again while a signal interrupts it.
    ///
    /// - throws: the `errno` of a result below zero.
    @discardableResult
    static func check<Value: SignedInteger>(_ call: String, _ body: () -> Value) throws(SystemError) -> Value {
        while true {
            let result = body()
            if result >= 0 { return result }
            // Read before anything else can change it.
            let code = errno
            if code != EINTR { throw SystemError(call: call, code: code) }
        }
    }

    /// Starts a thread of our own for calls that block.
    static func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        do throws(OwnedThread.StartError) {
            try OwnedThread.start(body)
        } catch {
            throw SystemError(call: "pthread_create", code: error.code)
        }
    }

    /// What a call without effect reports, where nothing can be done about a failure: a descriptor is gone after
    /// `close` whatever it returns (close(2)).
    static func closeDescriptor(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }
}
