/// A closed list of the contract's own words, with what each means.
///
/// `contract.describe` prints these lists, so the tables that integrators read come from what the code runs on.
package protocol ContractName: RawRepresentable<String>, CaseIterable, Hashable, Codable, Sendable {
    /// What the word means, in one sentence.
    var meaning: String { get }
}
