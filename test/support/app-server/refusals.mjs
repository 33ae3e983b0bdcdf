/** What the real program does not take, in its own words where they were recorded. */

export const remoteImage = "remote image URLs are not supported; use an inline data URL instead";

/** What is wrong with an item of `thread/inject_items`. */
export function wrongItem(item, index) {
  const invalid = (what) => `items[${index}] is not a valid response item: ${what}`;
  if (typeof item.type !== "string") return invalid("missing field `type`");
  if (item.type !== "message") return undefined;
  if (typeof item.content === "string") {
    return invalid(`invalid type: string ${JSON.stringify(item.content)}, expected a sequence`);
  }
  const isRemote = ({ type, image_url }) => type === "input_image" && !image_url?.startsWith("data:");
  return item.content.some(isRemote) ? remoteImage : undefined;
}

/** What is wrong with the tools of `thread/start`. The rules were measured; the words are not the real ones. */
export function wrongTool(tools) {
  const names = tools.map(({ name, namespace = "" }) => `${namespace}/${name}`);
  for (const [index, { name, inputSchema }] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `dynamic tool name is invalid: ${name}`;
    if (name.startsWith("mcp__")) return `dynamic tool name is reserved: ${name}`;
    if (inputSchema === null || typeof inputSchema !== "object") return `dynamic tool has no input schema: ${name}`;
    if (names.indexOf(names[index]) !== index) return `duplicate dynamic tool: ${name}`;
  }
  return undefined;
}
