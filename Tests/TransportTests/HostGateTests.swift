import Testing

@testable import Transport

@Suite("HostGate")
struct HostGateTests {
    @Test("A host that is not known to resolve gets few at a time; one that is gets all, until it fails to resolve")
    func few() {
        let gate = HostGate()
        for _ in 0..<HostGate.maxUnresolved {
            #expect(gate.mayStart("a"))
            gate.started("a")
        }
        #expect(!gate.mayStart("a") && gate.mayStart("b"))
        gate.ended("a")
        #expect(gate.mayStart("a"))
        gate.started("a")
        gate.resolved("a")
        for _ in 0..<100 {
            #expect(gate.mayStart("a"))
            gate.started("a")
        }
        gate.didNotResolve("a")
        #expect(!gate.mayStart("a"))
    }

    @Test("The hosts remembered are bounded")
    func bounded() {
        let gate = HostGate()
        for index in 0...HostGate.maxHosts { gate.resolved("\(index)") }
        for _ in 0..<HostGate.maxUnresolved { gate.started("0") }
        #expect(!gate.mayStart("0") && gate.mayStart("\(HostGate.maxHosts)"))
    }
}
