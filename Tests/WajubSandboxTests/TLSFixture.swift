import WajubSandbox

/// A certificate for 127.0.0.1 that signed itself, valid from 2020 to 2120, and its key: for tests alone.
enum TLSFixture {
    static let identity = TLSIdentity(certificate: certificate, key: key)

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBWzCCAQKgAwIBAgIBATAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJ3YWp1Yi1z
        YW5kYm94IHRlc3QwIhgPMjAyMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFow
        HTEbMBkGA1UEAwwSd2FqdWItc2FuZGJveCB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZI
        zj0DAQcDQgAEXYhH7wRx1yheEX1hpo5fKB23/QK5KvpIP5QJnL7bH/TBuS84tuL2
        Gta1hVUHEAmg0i2OSCea6gaflMHV2KI+k6MvMC0wDwYDVR0TAQH/BAUwAwEB/zAa
        BgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDRwAwRAIgY6Y9
        S3lh2KfHVRyFxErR6OPNTgmkxIanTYvWrwB1/t4CIDNTA0qUpIDJLRlgBllxRVjl
        QQSR8FMkMJnhHbl2RMFy
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZQRSKgqnNXzB2NKo
        mbLXJkTQp4gTkzkEAa8zYWcRzumhRANCAARdiEfvBHHXKF4RfWGmjl8oHbf9Arkq
        +kg/lAmcvtsf9MG5Lzi24vYa1rWFVQcQCaDSLY5IJ5rqBp+UwdXYoj6T
        -----END PRIVATE KEY-----
        """
}
