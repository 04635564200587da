import Contract
import FoundationEssentials
import Glibc
import Platform
import Testing

@testable import DaemonCore

@Suite("The configuration file")
struct ConfigurationFileTests {
    @Test("Comments, blank lines, spaces around, Windows line ends and a repeated name are understood")
    func lines() throws {
        let text = "# the till\r\n\r\n  country=CM\r\nlog-level =  debug \n\tlocale = fr\nlocale = en\n  # end"
        let options = try DaemonOptions.parse([], environment: [:], readFile: { _ in text })
        #expect(options.country == "CM")
        #expect(options.logLevel == .debug)
        #expect(options.language == .en)
    }

    @Test("A value may contain an equals sign and a number sign")
    func signsInValues() throws {
        let options = try DaemonOptions.parse([], environment: [:], readFile: { _ in "socket = /run/a=b#c" })
        #expect(options.socket == "/run/a=b#c")
    }

    @Test("The default file is read where none is named, and the named one else")
    func whichFile() throws {
        func file(_ arguments: [String], _ environment: [String: String]) throws -> String? {
            try DaemonOptions.parse(arguments, environment: environment, readFile: { "socket = /read\($0)" }).socket
        }
        #expect(try file([], [:]) == "/read/etc/wajubd/wajubd.conf")
        #expect(try file([], ["WAJUBD_CONFIG": "/b"]) == "/read/b")
        #expect(try file(["--config", "/c"], ["WAJUBD_CONFIG": "/b"]) == "/read/c")
    }

    @Test("A file on disk is read whole")
    func onDisk() throws {
        try Scratch.with { directory in
            let path = directory + "/wajubd.conf"
            try Data("country = CM\n".utf8).write(to: URL(filePath: path))
            let options = try DaemonOptions.parse(["--config", path], environment: [:])
            #expect(options.country == "CM")
        }
    }

    @Test("A file that is not there is no file, also where its directory is missing")
    func missing() throws {
        try Scratch.with { directory in
            for path in [directory + "/none", directory + "/none/none"] {
                let text = try ConfigurationFile.read(path)
                #expect(text == nil)
            }
        }
    }

    @Test("What is no text file is refused with its name: a directory, a pipe, other bytes, too many of them")
    func unreadable() throws {
        try Scratch.with { directory in
            let (pipe, binary, long) = (directory + "/pipe", directory + "/binary", directory + "/long")
            #expect(mkfifo(pipe, 0o600) == 0)
            try Data([0xFF, 0xFE]).write(to: URL(filePath: binary))
            try Data(repeating: 0x23, count: ConfigurationFile.longest + 1).write(to: URL(filePath: long))
            expect("--config: \(directory) is no file", reading: directory)
            expect("--config: \(pipe) is no file", reading: pipe)
            expect("--config: \(binary) is not UTF-8", reading: binary)
            expect("--config: \(long) is longer than 65536 bytes", reading: long)
        }
    }

    @Test("A file of the greatest size is read")
    func longest() throws {
        try Scratch.with { directory in
            let path = directory + "/long"
            try Data(repeating: 0x23, count: ConfigurationFile.longest).write(to: URL(filePath: path))
            let text = try ConfigurationFile.read(path)
            #expect(text?.utf8.count == ConfigurationFile.longest)
        }
    }

    private func expect(_ message: String, reading path: String) {
        let error = #expect(throws: (any Error).self) { try ConfigurationFile.read(path) }
        #expect(error.map { "\($0)" } == message)
    }
}
