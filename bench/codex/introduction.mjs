import { unheard } from "../../dist/backends/codex/handshake.js";

/** As Toolwire introduces itself, with what it does not want to hear. */
export const introduction = {
  clientInfo: { name: "bench", title: "Bench", version: "0.0.0" },
  capabilities: { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: unheard },
};
