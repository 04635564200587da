// swift-tools-version: 6.2
import PackageDescription

// One section per layer, lowest first, and in each alphabetical; a dependency a line. Imports only run downwards.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "wajubd",
    products: [
        .executable(name: "wajubd", targets: ["wajubd"]),
        .executable(name: "wajubctl", targets: ["wajubctl"]),
        .executable(name: "wajub-sandbox", targets: ["wajub-sandbox"]),
    ],
    targets: [
        // MARK: C libraries, each imported by one Swift wrapper alone
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .target(name: "CExecutor"),
        .target(name: "CLinux"),
        .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CSSL", pkgConfig: "libssl"),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd"),
        .systemLibrary(name: "CWslay"),

        // MARK: The contract: pure
        library("Contract"),
        library("ContractSimulation", ["Contract"]),
        tests("ContractTests", ["Contract", "ContractSimulation"]),
        program("wajub-lives", ["ContractSimulation"]),

        // MARK: The machine underneath: clocks, randomness, digests, descriptors, options
        library("Arguments"),
        tests("ArgumentsTests", ["Arguments"]),
        library("Platform", ["CCrypto", "CLinux", "Contract"]),
        .target(
            name: "PlatformTestSupport", dependencies: ["CLinux", "Contract", "Platform"], swiftSettings: settings),
        tests("PlatformTests", ["Contract", "Platform", "PlatformTestSupport"]),

        // MARK: Wires
        library("JSON"),
        tests("JSONTests", ["JSON"]),
        library("JSONRPC", ["CLinux", "JSON", "Platform"]),
        tests("JSONRPCTests", ["JSON", "JSONRPC", "Platform"]),
        library("Transport", ["CCurl", "Platform", "WebSocketCodec"]),
        tests("TransportTests", ["CSSL", "Platform", "Transport", "WebSocketCodec"]),
        library("WebSocketCodec", ["CWslay", "Platform"]),
        tests("WebSocketCodecTests", ["Platform", "PlatformTestSupport", "WebSocketCodec"]),

        // MARK: Store
        library("Store", ["CSQLite", "Contract", "Platform"]),
        library("StoreTestSupport", ["CSQLite"]),
        tests("StoreTests", ["CSQLite", "Contract", "Platform", "PlatformTestSupport", "Store", "StoreTestSupport"]),

        // MARK: Watching
        library("WajubWatch", ["Contract", "Platform", "Store", "Transport"]),
        library("WajubWatchTestSupport", ["Contract", "Platform", "PlatformTestSupport", "Store", "WajubWatch"]),
        tests(
            "WajubWatchTests",
            [
                "Contract", "Platform", "PlatformTestSupport", "Store", "Transport", "WajubWatch",
                "WajubWatchTestSupport",
            ]),

        // MARK: The daemon, its command line, the sandbox
        library("ControlCore", ["Arguments", "Contract", "JSON", "JSONRPC", "Platform"]),
        tests("ControlCoreTests", ["Arguments", "ControlCore", "JSON", "JSONRPC"]),
        library(
            "DaemonCore",
            [
                "Arguments", "CLinux", "CSystemd", "Contract", "JSON", "JSONRPC", "Platform", "Store", "Transport",
                "WajubWatch",
            ]),
        tests(
            "DaemonCoreTests",
            [
                "Contract", "DaemonCore", "JSON", "JSONRPC", "Platform", "PlatformTestSupport", "Store", "WajubWatch",
                "WajubWatchTestSupport",
            ]),
        library(
            "WajubSandbox",
            ["Arguments", "CLinux", "CMicrohttpd", "CSSL", "Contract", "JSON", "Platform", "WebSocketCodec"]),
        tests("WajubSandboxTests", ["Arguments", "Contract", "JSON", "Platform", "Transport", "WajubSandbox"]),
        program("wajub-sandbox", ["WajubSandbox"]),
        program("wajubctl", ["ControlCore", "Platform"]),
        program("wajubd", ["CExecutor", "DaemonCore", "Platform"]),
        program("wajubd-docs", ["DaemonCore"]),

        // MARK: The whole, driven as real processes
        library("StageSupport", ["JSON", "JSONRPC", "PlatformTestSupport", "Transport"]),
        tests(
            "EndToEndTests",
            [
                "JSON", "JSONRPC", "Platform", "PlatformTestSupport", "StageSupport", "Transport", "wajub-sandbox",
                "wajubctl",
                "wajubd",
            ]),
        program("wajubd-bench", ["CSQLite", "JSON", "JSONRPC", "Platform", "PlatformTestSupport", "StageSupport"]),
    ]
)
