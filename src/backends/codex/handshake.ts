import { isObject, type JsonObject } from "../../turn/index.ts";
import { type Abilities, abilitiesOf } from "./abilities.ts";
import type { Connection } from "./connection.ts";
import { RpcError } from "./protocol.ts";

/** Frequent notifications that are not used here. */
export const unheard = [
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

export async function initialize(connection: Connection, version: string): Promise<Abilities> {
  const { userAgent } = await connection.request("initialize", {
    clientInfo: { name: "toolwire", title: "Toolwire", version },
    capabilities: { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: unheard },
  });
  connection.notify("initialized");
  return abilitiesOf(typeof userAgent === "string" ? userAgent : "");
}

/** The home's configuration, as Codex reads it. */
export interface HomeSettings {
  config: JsonObject;
  /** The paths of the settings that are set explicitly, for example `features.goals`. */
  written: string[];
}

/** Very old versions do not report it; all settings then count as defaults. */
export async function readHomeSettings(connection: Connection): Promise<HomeSettings> {
  const { config, origins } = await connection.request("config/read", {}).catch((error: unknown): JsonObject => {
    if (error instanceof RpcError && !/unknown (?:variant|method)/i.test(error.message)) throw error;
    return {};
  });
  return { config: isObject(config) ? config : {}, written: isObject(origins) ? Object.keys(origins) : [] };
}

/** An account that cannot be read now may still exist. */
export async function readNeedsLogin(connection: Connection): Promise<boolean> {
  const { account, requiresOpenaiAuth } = await connection.request("account/read", {}).catch((): JsonObject => ({}));
  return account === null && requiresOpenaiAuth === true;
}

/** Checks what the version promises, with a thread that has a tool and is dropped at once. Some installations refuse it. */
export async function confirm(connection: Connection, abilities: Abilities, cwd: string): Promise<Abilities> {
  if (!abilities.native) return abilities;
  const tool = { type: "function", name: "probe", description: "", inputSchema: { type: "object", properties: {} } };
  const params = { cwd, ephemeral: true, environments: [], experimentalRawEvents: true, dynamicTools: [tool] };
  try {
    const { thread } = await connection.request("thread/start", params);
    if (isObject(thread)) await connection.request("thread/unsubscribe", { threadId: thread.id });
    return abilities;
  } catch (error) {
    if (!(error instanceof RpcError) || !/experimental|dynamic ?tool|raw ?event/i.test(error.message)) throw error;
    return { ...abilities, native: false };
  }
}
