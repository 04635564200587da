internal import CCurl
internal import WebSocketCodec

/// The session's work: orders, bytes in, bytes out.
extension WebSocketSession {
    /// How many portions one service reads, so that one busy peer does not hold up the thread.
    private static let maxPortions = 16

    /// libcurl has made the connection.
    func connected() {
        needsService = true
        guard let easy, let url = WebSocketURL(request.url), let stream = CurlStream(easy) else {
            state = .draining(.failed(failure(CURLE_FAILED_INIT)), deadline: .now)
            return
        }
        self.stream = stream
        let headers = [(name: "User-Agent", value: userAgent)] + request.headers
        stream.output = WebSocketHandshake.request(target: url.target, host: url.authority, key: key, headers: headers)
        state = .upgrading(received: [])
    }

    /// Does what can be done now; an ending ends the session.
    func serve() -> Ending? {
        needsService = false
        if let ending = obey(channel.takeOrders()) { return ending }
        guard let stream else { return finalEnding }
        let lost = read(stream)
        // What we have to say leaves even if the peer has stopped talking: it may be the echo of its close.
        let broken = !flush(stream)
        if case .draining(let ending, _) = state {
            return broken || lost || !stream.hasOutput ? ending : nil
        }
        guard lost || broken else { return nil }
        if case .upgrading = state { return .failed(.init(.emptyReply, mayHaveReachedServer: true)) }
        return .connectionLost
    }

    private var finalEnding: Ending? {
        if case .draining(let ending, _) = state { ending } else { nil }
    }

    private func obey(_ orders: [WebSocketChannel.Order]) -> Ending? {
        for order in orders {
            guard case .open(let codec) = state else {
                if case .drop = order { return .connectionLost }
                // Nothing may follow a close.
                continue
            }
            do throws(WebSocketQueueError) {
                switch order {
                case .text(let text): try codec.queue(text: text)
                case .ping: try codec.queuePing()
                case .close(let code, let reason):
                    try codec.queueClose(code: code, reason: reason)
                    state = .closing(codec, deadline: .now + Self.closeTimeout)
                case .drop: return .connectionLost
                }
            } catch {
                // Too much waits, or the message is none: better no connection than one with a hole in it.
                return .connectionLost
            }
        }
        return nil
    }

    /// Reads until there is nothing more, the channel is full, or it was enough for once. True at the stream's end.
    private func read(_ stream: CurlStream) -> Bool {
        var batch: [WebSocketEvent] = []
        defer { channel.deliver(batch) }
        for _ in 0..<Self.maxPortions {
            guard wantsRead else { return false }
            switch stream.read() {
            case .bytes(let bytes): received(bytes, into: &batch)
            case .nothingNow: return false
            case .end: return true
            }
        }
        // TLS may hold bytes that no poll tells of.
        needsService = true
        return false
    }

    private func received(_ bytes: ArraySlice<UInt8>, into batch: inout [WebSocketEvent]) {
        switch state {
        case .connecting, .draining: break
        case .upgrading(var head):
            head += bytes
            state = .upgrading(received: head)
            upgrade(head, into: &batch)
        case .open(let codec), .closing(let codec, _): receive(bytes, codec, into: &batch)
        }
    }

    private func upgrade(_ received: [UInt8], into batch: inout [WebSocketEvent]) {
        switch HTTPHead.parse(received) {
        case .needsMore: break
        case .malformed: failUpgrade(.upgradeMalformed)
        case .complete(let head, let byteCount):
            do throws(WebSocketHandshake.Refusal) {
                try WebSocketHandshake.verify(head, key: key)
            } catch {
                switch error {
                case .status(let status): failUpgrade(.upgradeRefused(status: status))
                case .malformed: failUpgrade(.upgradeMalformed)
                }
                return
            }
            let codec = WebSocketCodec(
                role: .client, maxMessageBytes: request.maxMessageBytes,
                maxOutputBytes: WebSocketChannel.maxOutboundBytes, maskKeys: randomness)
            state = .open(codec)
            reply.take()?.resume(returning: .success(WebSocketConnection(channel)))
            if received.count > byteCount { receive(received[byteCount...], codec, into: &batch) }
        }
    }

    private func failUpgrade(_ kind: TransportFailure.Kind) {
        state = .draining(.failed(.init(kind, mayHaveReachedServer: true)), deadline: .now)
    }

    private func receive(_ bytes: ArraySlice<UInt8>, _ codec: WebSocketCodec, into batch: inout [WebSocketEvent]) {
        let reception = codec.receive(bytes)
        for message in reception.messages {
            switch message {
            case .text(let text): batch.append(.text(text))
            case .binary, .ping, .pong: batch.append(.frame)
            case .close(let code, let reason): drain(codec, .closed(code: code, reason: reason))
            }
        }
        if let violation = reception.violation { drain(codec, .closed(code: violation.closeCode, reason: "")) }
    }

    private func drain(_ codec: WebSocketCodec, _ ending: Ending) {
        stream?.output += codec.takeOutput()
        state = .draining(ending, deadline: .now + Self.closeTimeout)
    }

    /// Writes what can be written. False when the connection is broken.
    private func flush(_ stream: CurlStream) -> Bool {
        switch state {
        case .open(let codec), .closing(let codec, _):
            // What the socket does not take stays in the codec, which bounds it.
            repeat {
                guard stream.flush() else { return false }
                if stream.hasOutput { return true }
                stream.output = codec.takeOutput()
            } while stream.hasOutput
            return true
        case .connecting, .upgrading, .draining: return stream.flush()
        }
    }
}
