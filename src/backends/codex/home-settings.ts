import { isObject, type JsonObject } from "../../turn/index.ts";
import type { HomeSettings } from "./handshake.ts";

/**
 * Settings that override the configuration of a home, which is otherwise kept. Its MCP servers are not started, and its provider
 * does not retry, because the gateway does.
 */
export function homeSettings({ config, written }: HomeSettings): string[] {
  return [...withoutServers(config), ...withoutFeatures(config, written), ...withoutRetries(config)];
}

/** Features that concern the connection to the service, not what the model sees. */
const connectionFeature = /auth|api_key|proxy|identity|fast|network|websocket|connection/;

/** A feature that the operator enabled for their own use of Codex is not meant for clients. */
function withoutFeatures({ features }: JsonObject, written: readonly string[]): string[] {
  const names = written.flatMap((place) => /^features\.(\w+)$/.exec(place)?.[1] ?? []);
  const isOn = (name: string) => isObject(features) && features[name] === true;
  return names.filter((name) => isOn(name) && !connectionFeature.test(name)).map((name) => `features.${name}=false`);
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
 * Codex's built-in OpenAI provider retries for half a minute before it reports a failure, and no setting changes that. So this
 * defines a second one with the same login and the same addresses.
 */
function mirror(baseUrl: JsonObject[string]): string[] {
  const address = typeof baseUrl === "string" ? `base_url=${JSON.stringify(baseUrl)},` : "";
  const headers = '"OpenAI-Organization"="OPENAI_ORGANIZATION","OpenAI-Project"="OPENAI_PROJECT"';
  const provider = `name="OpenAI",${address}requires_openai_auth=true,wire_api="responses",supports_websockets=false,env_http_headers={${headers}},${once}`;
  return [`model_providers={toolwire-openai={${provider}}}`, 'model_provider="toolwire-openai"'];
}
