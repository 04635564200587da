internal import CCurl

/// From the line to the result.
extension Engine {
    func enqueue(_ job: Job) {
        guard queue.count < Self.maxQueued else {
            return job.finish(.failure(.init(.overloaded, mayHaveReachedServer: false)))
        }
        queue.append(job)
        queueDeadline = min(queueDeadline ?? job.queueDeadline, job.queueDeadline)
    }

    /// Starts what may start, oldest first; a closed gate holds up its own host alone.
    func startQueued() {
        expireQueue()
        guard !queue.isEmpty, running.count < Self.maxRunning else { return }
        var index = 0
        var kept: [Job] = []
        while index < queue.count, running.count < Self.maxRunning {
            let job = queue[index]
            index += 1
            if gate.mayStart(job.host) { start(job) } else { kept.append(job) }
        }
        queue.replaceSubrange(..<index, with: kept)
        if queue.isEmpty { queueDeadline = nil }
    }

    /// Fails those who waited in line for as long as they would wait for a connection.
    private func expireQueue() {
        guard let deadline = queueDeadline, deadline <= .now else { return }
        let now = ContinuousClock.now
        let due = queue.filter { $0.queueDeadline <= now }
        queue.removeAll { $0.queueDeadline <= now }
        queueDeadline = queue.map(\.queueDeadline).min()
        for job in due { job.finish(.failure(.init(.timeout(.queue), mayHaveReachedServer: false))) }
    }

    func cancel(_ id: UInt64) {
        if let index = queue.firstIndex(where: { $0.id == id }) {
            queue.remove(at: index).finish(.failure(.init(.cancelled, mayHaveReachedServer: false)))
        } else if let job = running.removeValue(forKey: id) {
            let failure = TransportFailure(.cancelled, mayHaveReachedServer: job.requestStarted)
            release(job)
            job.finish(.failure(failure))
        } else if let session = sessions[id], session.isUpgrading {
            end(session, .failed(.init(.cancelled, mayHaveReachedServer: true)))
        }
    }

    private func start(_ job: Job) {
        guard let easy = pool.popLast() ?? EasyHandle() else {
            return job.finish(.failure(job.failure(CURLE_OUT_OF_MEMORY)))
        }
        do {
            try job.configure(easy, configuration)
        } catch {
            return job.finish(.failure(job.failure(error.code)))
        }
        job.easy = easy
        gate.started(job.host)
        running[job.id] = job
        check(curl_multi_add_handle(multi, easy.pointer))
    }

    func finishDone() {
        var code = CURLE_OK
        while let pointer = CCurl_multi_next_done(multi, &code) {
            var context: UnsafeMutableRawPointer?
            let known = CCurl_get_pointer(pointer, CURLINFO_PRIVATE, &context)
            guard known == CURLE_OK, let job = JobCallbacks.job(context), running.removeValue(forKey: job.id) != nil
            else { preconditionFailure("libcurl finished a transfer that is not running") }
            if code != CURLE_OK {
                fail(job, code)
            } else if let session = job as? WebSocketSession {
                // The connection stays with its handle, and the handle in the multi handle.
                gate.ended(job.host)
                sessions[job.id] = session
                session.connected()
            } else {
                job.finish(.success(()))
                release(job)
            }
        }
    }

    private func fail(_ job: Job, _ code: CURLcode) {
        let failure = job.failure(code, headersBegun: (job as? HTTPTransfer)?.headersBegun ?? false)
        if failure.kind == .nameResolution || failure.kind == .timeout(.lookup) { gate.didNotResolve(job.host) }
        release(job)
        job.finish(.failure(failure))
    }

    /// Takes the handle back; a transfer under way ends here.
    func release(_ job: Job) {
        gate.ended(job.host)
        guard let easy = job.easy else { return }
        check(curl_multi_remove_handle(multi, easy.pointer))
        job.easy = nil
        // One that made a bare connection stays tied to it.
        guard job is HTTPTransfer, pool.count < Self.maxRunning else { return }
        // At once, since it holds the request's secrets.
        easy.reset()
        pool.append(easy)
    }
}
