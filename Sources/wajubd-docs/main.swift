internal import DaemonCore

print(ContractDocument.markdown, terminator: "")
