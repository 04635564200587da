import FoundationEssentials
import JSON
import JSONRPC
import Testing

@testable import DaemonCore

@Suite("The contract's page")
struct ContractDocumentTests {
    @Test("docs/contract.md says what the definitions say")
    func isCurrent() throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let data = try Data(contentsOf: URL(filePath: root + "/docs/contract.md"))
        let written = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let current = ContractDocument.markdown.split(separator: "\n", omittingEmptySubsequences: false)
        let stale = current.difference(from: written).map { "\($0)" }
        #expect(stale == [], "run `make docs`, and commit docs/contract.md")
    }

    @Test("Whatever contract.describe lists is on the page, in its own table")
    func isWhole() throws {
        let json = try JSONEncoder().encode(ContractDescription())
        let lists = try #require(try JSONDecoder().decode(JSONValue.self, from: json).object).compactMapValues(\.array)
        let tables = ContractDocument.markdown.split(separator: "\n\n").map { table in
            table.split(separator: "\n").dropFirst(2).compactMap { $0.split(separator: "`").dropFirst().first }
        }
        #expect(lists.count == 14)
        for (list, rows) in lists {
            let names = rows.compactMap { ($0["name"] ?? $0["code"] ?? $0["flag"])?.string }
            #expect(names.count == rows.count)
            let escaped = names.map { $0.split(separator: "|").joined(separator: "\\|") }
            #expect(tables.contains { $0.map(String.init) == escaped }, "\(list)")
        }
    }
}
