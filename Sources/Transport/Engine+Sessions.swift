internal import CCurl

/// The WebSockets beyond their connection.
extension Engine {
    /// Serves those that have something to do or are out of time.
    func serveSessions() {
        let now = ContinuousClock.now
        for session in Array(sessions.values) {
            let late = session.deadline.map { $0 <= now } ?? false
            guard session.needsService || late else { continue }
            if let ending = session.serve() ?? (late ? session.timedOut : nil) { end(session, ending) }
        }
    }

    /// Tells the session's owner, and closes its connection: "have curl_multi_remove_handle close CONNECT_ONLY transfer" (7.86).
    func end(_ session: WebSocketSession, _ ending: WebSocketSession.Ending) {
        sessions[session.id] = nil
        session.end(ending)
        guard let easy = session.easy else { return }
        check(curl_multi_remove_handle(multi, easy.pointer))
        session.easy = nil
    }
}
