export { AppServers } from "./app-servers.ts";
export { CodexBackend } from "./backend.ts";
