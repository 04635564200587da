internal import FoundationEssentials

/// What the client says.
enum PusherMessage {
    case ping
    case pong
    case subscribe(String, ChannelAuthorization)
    case unsubscribe(String)

    private struct Frame: Encodable {
        struct Data: Encodable {
            var channel: String?
            var auth: String?
            var channel_data: String?
        }

        let event: String
        let data: Data
    }

    /// The message as JSON.
    var text: String {
        let frame =
            switch self {
            case .ping: Frame(event: "pusher:ping", data: Frame.Data())
            case .pong: Frame(event: "pusher:pong", data: Frame.Data())
            case .subscribe(let channel, let authorization):
                Frame(
                    event: "pusher:subscribe",
                    data: Frame.Data(channel: channel, auth: authorization.auth, channel_data: authorization.channelData))
            case .unsubscribe(let channel): Frame(event: "pusher:unsubscribe", data: Frame.Data(channel: channel))
            }
        do {
            return String(decoding: try JSONText.encoder.encode(frame), as: UTF8.self)
        } catch {
            preconditionFailure("strings always encode: \(error)")
        }
    }
}

/// What the server says. `data` comes as JSON in a string, as an object, as a plain string, or not at all (`pusher.md`).
struct PusherFrame: Decodable {
    let event: String
    let channel: String?
    let data: WireObject?

    private enum CodingKeys: String, CodingKey {
        case event, channel, data
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        event = try container.decode(String.self, forKey: .event)
        // Lenient by intent: what is not there, or of another type, is absent.
        channel = try? container.decodeIfPresent(String.self, forKey: .channel)
        if let text = try? container.decode(String.self, forKey: .data) {
            data = try? JSONDecoder().decode(WireObject.self, from: Data(text.utf8))
        } else {
            data = try? container.decode(WireObject.self, forKey: .data)
        }
    }

    /// nil for a text that is no frame of Pusher's.
    init?(_ text: String) {
        guard let frame = try? JSONDecoder().decode(PusherFrame.self, from: Data(text.utf8)) else { return nil }
        self = frame
    }
}
