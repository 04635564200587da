import JSON
import JSONRPC
import Testing

@testable import ControlCore

@Suite("What is the payer's own", .timeLimit(.minutes(10)))
struct PersonalInputTests {
    @Test("comes from standard input, a line each, or from a file, and is repeated nowhere")
    func sources() async throws {
        try await withDirectory { directory in
            try "Ada\n".write(toFile: directory + "/name")
            try await withDaemon { daemon, _ in
                daemon.on("payment.methods", offers)
                daemon.on("payment.pay", ["payment": paying])
                let run = await wajubctl(
                    "pay", "pay_1", "--field", "first_name=@\(directory)/name", "--field", "email=-", "--card-holder",
                    "-", "--socket", daemon.path, typist: Typist("Ada L", "a@b.test"))
                #expect(run.status == .success)
                let card: JSONValue = [
                    "channel": "card", "card_holder": "Ada L", "fields": ["first_name": "Ada", "email": "a@b.test"],
                ]
                #expect(daemon.params(of: "payment.pay") == [["payment": "pay_1", "card": card]])
                #expect(!run.output.contains("Ada") && run.complaints.isEmpty)
            }
        }
    }

    @Test("a phone number too, and what is missing there ends with 66")
    func phone() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.pay", ["payment": paying])
            let words = ["pay", "pay_1", "--phone", "-", "--operator", "mtn", "--socket", daemon.path]
            let run = await wajubctl(words: words, typist: Typist("677123456"))
            #expect(run.status == .success)
            let number: JSONValue = ["phone": "677123456", "operator": "mtn"]
            #expect(daemon.params(of: "payment.pay") == [["payment": "pay_1", "mobile_money": number]])
            for typist in [Typist(), Typist("")] {
                let none = await wajubctl(words: words, typist: typist)
                #expect(none.status == .noInput)
                #expect(none.complaints == ["no phone number from standard input: there is no phone number"])
            }
        }
    }

    @Test("a code on the command line works, with a warning that does not repeat it", arguments: ["code", "pin"])
    func warning(field: String) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": asked("otp")])
            daemon.on("payment.verify", ["payment": payment()])
            let run = await wajubctl("verify", "pay_1", "--field", "\(field)=8642", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(run.complaints.count == 1)
            #expect(run.complaints.first?.contains("use --field \(field)=-") == true)
            #expect(!(run.complaints.joined() + run.output).contains("8642"))
        }
    }

    @Test("codes and PINs are typed without their echo, and nothing else is")
    func echo() {
        for name in ["code", "pin", "phone", "birthday", "address", "email", "something_new"] {
            #expect(PayerField.question(name).isSecret == ["code", "pin"].contains(name))
        }
    }
}
