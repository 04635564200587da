import FoundationEssentials
import Platform
import Testing

struct DeviceLocaleTests {
    /// A root with `/etc/localtime` and `/etc/timezone`, for the test's time.
    private func withRoot(link: String?, file: String?, _ body: (String) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.path + "/wajub-zone-" + UUID().uuidString + "/"
        try FileManager.default.createDirectory(atPath: root + "etc", withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: root) } }
        if let link {
            try FileManager.default.createSymbolicLink(atPath: root + "etc/localtime", withDestinationPath: link)
        }
        if let file { try Data(file.utf8).write(to: URL(filePath: root + "etc/timezone")) }
        try body(root)
    }

    @Test(
        "TZ names the zone, in each way of writing it",
        arguments: [
            ("Africa/Douala", "Africa/Douala"), (":Africa/Douala", "Africa/Douala"), ("UTC", "UTC"),
            ("/usr/share/zoneinfo/America/Argentina/Ushuaia", "America/Argentina/Ushuaia"), ("Etc/GMT+5", "Etc/GMT+5"),
        ])
    func variable(text: String, zone: String) throws {
        try withRoot(link: "/usr/share/zoneinfo/Europe/Paris", file: nil) { root in
            #expect(DeviceLocale.timeZone(["TZ": text], root: root) == zone)
        }
    }

    @Test(
        "A TZ that names no zone counts as none", arguments: ["", "WAT-1", "/etc/localtime", "Africa/Dou ala", "é/x"])
    func noName(text: String) throws {
        try withRoot(link: "../usr/share/zoneinfo/Africa/Abidjan", file: nil) { root in
            #expect(DeviceLocale.timeZone(["TZ": text], root: root) == "Africa/Abidjan")
        }
    }

    @Test("Without TZ the machine's files tell, and where nobody tells it is UTC")
    func files() throws {
        try withRoot(link: "/usr/share/zoneinfo/Africa/Douala", file: "Europe/Paris\n") { root in
            #expect(DeviceLocale.timeZone([:], root: root) == "Africa/Douala")
        }
        try withRoot(link: nil, file: "Europe/Paris\n") { root in
            #expect(DeviceLocale.timeZone([:], root: root) == "Europe/Paris")
        }
        try withRoot(link: nil, file: nil) { root in
            #expect(DeviceLocale.timeZone([:], root: root) == "UTC")
        }
    }

    @Test(
        "Languages come from LANGUAGE and the locale of messages, as tags, each once",
        arguments: [
            (["LANG": "fr_CM.UTF-8"], ["fr-CM"]), (["LANG": "en_US", "LC_ALL": "fr_FR@euro"], ["fr-FR"]),
            (["LANG": "en_US", "LC_ALL": "", "LC_MESSAGES": "de"], ["de"]),
            (["LANGUAGE": "fr_CM:fr::en", "LANG": "fr_CM.UTF-8"], ["fr-CM", "fr", "en"]),
            (["LANG": "C"], []), (["LANG": "C.UTF-8"], []), (["LANG": "POSIX"], []), ([:], []),
            (["LANG": "../../x"], []),
        ] as [([String: String], [String])])
    func languages(environment: [String: String], tags: [String]) {
        #expect(DeviceLocale.languages(environment) == tags)
    }
}
