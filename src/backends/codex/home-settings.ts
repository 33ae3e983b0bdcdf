import { isObject, type JsonObject } from "../../turn/index.ts";
import type { HomeSettings } from "./handshake.ts";

/**
 * What has to be said against the configuration of a home, which is otherwise kept: its MCP servers are not started, and its
 * provider makes no second attempts, since those are made here.
 */
export function homeSettings({ config, written }: HomeSettings): string[] {
  return [...withoutServers(config), ...withoutFeatures(config, written), ...withoutRetries(config)];
}

/** What has to do with the way to the service, and not with what the model is shown. */
const ofTheWay = /auth|api_key|proxy|identity|fast|network|websocket|connection/;

/** What somebody has switched on for Codex is not meant for others. */
function withoutFeatures({ features }: JsonObject, written: readonly string[]): string[] {
  const names = written.flatMap((place) => /^features\.(\w+)$/.exec(place)?.[1] ?? []);
  const isOn = (name: string) => isObject(features) && features[name] === true;
  return names.filter((name) => isOn(name) && !ofTheWay.test(name)).map((name) => `features.${name}=false`);
}

function withoutServers({ mcp_servers: servers }: JsonObject): string[] {
  const names = isObject(servers) ? Object.keys(servers) : [];
  const tables = names.map((name) => `${JSON.stringify(name)}={enabled=false}`);
  return tables.length > 0 ? [`mcp_servers={${tables.join(",")}}`] : [];
}

const once = "request_max_retries=0,stream_max_retries=0";

function withoutRetries({
  model_provider: named,
  model_providers: all,
  openai_base_url: baseUrl,
}: JsonObject): string[] {
  if (typeof named !== "string" || named === "openai") return mirror(baseUrl);
  const isOwn = isObject(all) && isObject(all[named]);
  return isOwn ? [`model_providers={${JSON.stringify(named)}={${once}}}`] : [];
}

/**
 * OpenAI, as Codex has it built in, tries for half a minute before it says that something failed, and cannot be told otherwise. So
 * there is another of the same: with the same login and the same addresses.
 */
function mirror(baseUrl: JsonObject[string]): string[] {
  const address = typeof baseUrl === "string" ? `base_url=${JSON.stringify(baseUrl)},` : "";
  const headers = '"OpenAI-Organization"="OPENAI_ORGANIZATION","OpenAI-Project"="OPENAI_PROJECT"';
  const provider = `name="OpenAI",${address}requires_openai_auth=true,wire_api="responses",supports_websockets=false,env_http_headers={${headers}},${once}`;
  return [`model_providers={toolwire-openai={${provider}}}`, 'model_provider="toolwire-openai"'];
}
