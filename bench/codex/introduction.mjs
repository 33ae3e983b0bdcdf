/** As Toolwire introduces itself (src/backends/codex/handshake.ts), with what it does not want to hear. */
export const introduction = {
  clientInfo: { name: "bench", title: "Bench", version: "0.0.0" },
  capabilities: {
    experimentalApi: true,
    requestAttestation: false,
    optOutNotificationMethods: [
      "account/rateLimits/updated",
      "app/list/updated",
      "configWarning",
      "deprecationNotice",
      "mcpServer/startupStatus/updated",
      "remoteControl/status/changed",
      "skills/changed",
      "thread/name/updated",
      "thread/settings/updated",
      "thread/started",
      "thread/status/changed",
      "warning",
    ],
  },
};
