internal import WajubSandbox

SandboxProgram.run()
