import ContractSimulation

@testable import Contract

/// The rules of paying, each broken (design.md, "Paying", "Undecided", "Steps", "Client sessions and pages").
extension Sabotage {
    static let paying: [Sabotage] = []
}
