import { isObject, type JsonObject } from "../../turn/index.ts";
import { type Abilities, abilitiesOf } from "./abilities.ts";
import type { Connection } from "./connection.ts";
import { mirrorOf, type Provider } from "./provider.ts";

/** What an app-server tells of itself when it has started. */
export interface Facts {
  abilities: Abilities;
  provider: Provider;
  /** The names of MCP servers that the home has, of which none is wanted here. */
  mcpServers: string[];
  /** Whether somebody has to log in before a model can be asked. */
  needsLogin: boolean;
}

/** Said often, and of no use here. */
const unheard = [
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
];

export async function shakeHands(connection: Connection, version: string): Promise<Facts> {
  const { userAgent } = await connection.request("initialize", {
    clientInfo: { name: "toolwire", title: "Toolwire", version },
    capabilities: { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: unheard },
  });
  connection.notify("initialized");
  const [config, needsLogin] = await Promise.all([readConfig(connection), readLogin(connection)]);
  return {
    abilities: abilitiesOf(typeof userAgent === "string" ? userAgent : ""),
    provider: mirrorOf(config),
    mcpServers: isObject(config.mcp_servers) ? Object.keys(config.mcp_servers) : [],
    needsLogin,
  };
}

/** Older versions do not tell it, and then all is at its default. */
async function readConfig(connection: Connection): Promise<JsonObject> {
  const { config } = await connection.request("config/read", {}).catch(() => ({ config: undefined }));
  return isObject(config) ? config : {};
}

/** An account that cannot be read now may well be there. */
async function readLogin(connection: Connection): Promise<boolean> {
  const account = await connection.request("account/read", {}).catch((): JsonObject => ({}));
  return account.account === null && account.requiresOpenaiAuth === true;
}
