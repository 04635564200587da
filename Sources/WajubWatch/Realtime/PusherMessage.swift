internal import FoundationEssentials
internal import Platform

/// A message of a Pusher server, with `data` in any of its shapes: JSON in a string, a plain string, an object, absent
/// (`pusher.md`, "`data` varies").
struct PusherMessage: Decodable {
    let event: String
    let channel: String?
    let data: Content

    private enum Key: String, CodingKey {
        case event, channel, data
    }

    /// nil for what is no Pusher message.
    init?(text: String) {
        guard let message = try? JSONDecoder().decode(PusherMessage.self, from: Data(text.utf8)) else { return nil }
        self = message
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        event = try container.decode(String.self, forKey: .event)
        channel = container.text(.channel)
        data = container.lenient(Content.self, .data) ?? Content()
    }

    /// The fields that any message's data carries for us.
    struct Content: Decodable {
        /// The data where it is a string that is no JSON object.
        private(set) var plainText: String?
        private(set) var socketID: String?
        private(set) var activityTimeout: Double?
        private(set) var code: Int?
        /// A payment's status, or the HTTP status of a refused subscription.
        private(set) var status: String?

        init() {}

        private enum Key: String, CodingKey {
            case socketID = "socket_id"
            case activityTimeout = "activity_timeout"
            case code, status
        }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                self = Self.nested(in: text, depth: 0)
            } else {
                let container = try decoder.container(keyedBy: Key.self)
                socketID = container.text(.socketID)
                activityTimeout =
                    container.lenient(Double.self, .activityTimeout)
                    ?? container.text(.activityTimeout).flatMap(Double.init)
                code = container.lenient(Int.self, .code) ?? container.text(.code).flatMap { Int($0) }
                status = container.text(.status) ?? container.lenient(Int.self, .status).map { "\($0)" }
            }
        }

        /// JSON in a string, perhaps in a string once more.
        private static func nested(in text: String, depth: Int) -> Content {
            let (decoder, data) = (JSONDecoder(), Data(text.utf8))
            if let object = try? decoder.decode(ObjectContent.self, from: data) { return object.content }
            if depth == 0, let inner = try? decoder.decode(String.self, from: data) {
                return nested(in: inner, depth: 1)
            }
            var content = Content()
            content.plainText = text
            return content
        }
    }

    /// Content that is an object, so that a string in a string in a string … ends.
    private struct ObjectContent: Decodable {
        let content: Content

        init(from decoder: any Decoder) throws {
            _ = try Wire.AnyObject(from: decoder)
            content = try Content(from: decoder)
        }
    }
}

/// What the client says, as the text of a frame.
enum PusherCommand {
    static let ping = #"{"data":{},"event":"pusher:ping"}"#
    static let pong = #"{"data":{},"event":"pusher:pong"}"#

    static func subscribe(to channel: String, _ authorization: ChannelAuthorization) -> String {
        text(
            "pusher:subscribe",
            Subscription(channel: channel, auth: authorization.auth.revealed, channelData: authorization.channelData))
    }

    static func unsubscribe(from channel: String) -> String {
        text("pusher:unsubscribe", Subscription(channel: channel, auth: nil, channelData: nil))
    }

    private struct Command: Encodable {
        let event: String
        let data: Subscription
    }

    private struct Subscription: Encodable {
        let channel: String
        let auth: String?
        let channelData: String?

        enum CodingKeys: String, CodingKey {
            case channel, auth
            case channelData = "channel_data"
        }
    }

    private static func text(_ event: String, _ data: Subscription) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(Command(event: event, data: data)), as: UTF8.self)
        } catch {
            preconditionFailure("strings did not encode as JSON: \(error)")
        }
    }
}
