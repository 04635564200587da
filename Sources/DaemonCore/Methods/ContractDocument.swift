internal import Contract

/// `docs/contract.md`: what `contract.describe` answers, for people.
///
/// `make docs` writes it, and a test fails where it says something else than the definitions.
package enum ContractDocument {
    package static var markdown: String {
        let contract = ContractDescription()
        let preface = """
            # The contract \(contract.contract), as the code runs on it

            `make docs` writes this page from the definitions in `Sources/Contract` and `Sources/DaemonCore`; edit those, not
            this. `contract.describe` answers the same tables as JSON.

            """
        return ([preface] + words(contract) + errors(contract) + options(contract)).joined(separator: "\n")
    }

    private static func words(_ contract: ContractDescription) -> [String] {
        [
            section("States", "`state` of a payment: where it is for the payer.", contract.states),
            section("Statuses", "`status` of a payment: the latest that Wajub told.", contract.statuses),
            section("Methods", "The family that a state is reported with.", contract.methods),
            section("Results", "`result.status`: a presentation has exactly one.", contract.results),
            section("Cancel reasons", "`result.reason` where the result is `cancelled`.", contract.cancel_reasons),
            section("Events", "In the contract's order for a payment.", contract.events),
            section("Screens", "`screen.kind`: what the payer is to see.", contract.screens),
        ]
    }

    private static func errors(_ contract: ContractDescription) -> [String] {
        [
            section("Error kinds", "An application's error is told from the gateway's refusal.", contract.error_kinds),
            section(
                "Error types", "`type` of an error.", ["name", "kind", "meaning"],
                contract.error_types.map { [code($0.name), code($0.kind.rawValue), $0.meaning] }),
            section("Certainties", "`certainty` of an error.", contract.certainties),
            section("Error fields", "Absent fields are left out.", contract.error_fields),
            section(
                "Errors",
                """
                What each code settles by itself. An error that concerns no attempt, a read that missed say, has no `certainty`
                whatever its code. A code that is not here is passed through, with the type that its HTTP status stands for.
                """,
                ["code", "type", "retryable", "certainty", "English", "French"],
                contract.errors.map { row in
                    [
                        code(row.code), code(row.type.rawValue), row.retryable ? "yes" : "no",
                        row.certainty?.rawValue ?? "", row.en, row.fr,
                    ]
                }),
        ]
    }

    private static func options(_ contract: ContractDescription) -> [String] {
        [
            section("Options of `payment.watch`", "What a till may say of a payment.", contract.options),
            section(
                "Options of the daemon", "A flag wins over its variable.", ["flag", "variable", "meaning"],
                contract.daemon_options.map { [code($0.flag), $0.variable.map(code) ?? "", $0.help] }),
        ]
    }

    private static func section(_ title: String, _ text: String, _ words: [ContractDescription.Word]) -> String {
        section(title, text, ["name", "meaning"], words.map { [code($0.name), $0.meaning] })
    }

    private static func section(_ title: String, _ text: String, _ head: [String], _ rows: [[String]]) -> String {
        let lines = ["## \(title)", "", text, "", line(head), line(head.map { _ in "---" })] + rows.map(line)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ cells: [String]) -> String {
        // A bar ends a cell, inside code as well.
        "| "
            + cells.map { $0.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|") }
            .joined(separator: " | ") + " |"
    }

    private static func code(_ text: String) -> String { "`\(text)`" }
}
