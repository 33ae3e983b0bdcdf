// Which room of src/ may import which. `npm run rooms` writes the overrides of biome.json and the table of CONTRIBUTING.md from
// this table, and test/house fails when they differ from it.

/**
 * `imports` names rooms (`turn`) and single files of rooms (`wire/sse.ts`); `allBut` names the rooms that are left out.
 * `parts` are folders of a room that may import more; a star adds the files beside the folder whose names begin like it.
 * A room that is `unbuilt` has a place and a rule, but no code yet.
 */
export const rooms = [
  {
    name: "turn",
    holds:
      "the common language: `Turn` (a request), `Item` (message, call, output, reasoning), `BackendEvent` and `TurnEvent`, `Tool`, `Usage`, `TurnError`; and the narrow ports that the engine needs from outside (`Backend`, `Encoder`, `TurnListener`, `Memory`)",
    imports: [],
  },
  {
    name: "tools",
    holds:
      "the catalog (two shapes to one), the choice policy, `validation/` of arguments, and `prompted/`: tools and history in the words of a prompt",
    imports: ["turn"],
  },
  {
    name: "dialects",
    holds: "calls that a model writes as text: how each dialect is read and written",
    imports: ["turn"],
  },
  {
    name: "wire",
    holds:
      "the public APIs, one codec a folder: `chat/`, `responses/`, `use-tool/` *; their registry, the sinks, and what they share (`sse`, the error envelope). Decoders make a `Turn`, encoders turn `TurnEvent`s into frames",
    imports: ["turn", "tools"],
    parts: [{ folders: ["use-tool"], imports: ["dialects"] }],
  },
  {
    name: "backends",
    holds: "a `Turn` in, `BackendEvent`s out, nothing about clients: `chat`, `responses`, `codex`, `demo`",
    imports: ["turn", "tools", "wire/sse.ts"],
    // A backend also gets the item mapping of the API that it speaks, and nothing else of that API.
    parts: [
      { folders: ["chat*"], imports: ["wire/chat/messages.ts", "wire/chat/tools.ts"] },
      { folders: ["responses*", "codex*"], imports: ["wire/responses/items.ts", "wire/responses/tools.ts"] },
      { folders: ["demo*"], imports: ["dialects"] },
    ],
  },
  {
    name: "servertools",
    holds: "tools that the gateway runs: registry, MCP servers, approvals",
    imports: ["turn", "tools"],
    unbuilt: true,
  },
  {
    name: "engine",
    holds: "runs one turn: the stages of a round, settle, the transcript, and the driver of rounds with its policies",
    imports: ["turn", "tools", "dialects"],
  },
  {
    name: "store",
    holds:
      "what outlives a request: responses, conversations, short-lived records, keys and usage, on SQLite, Postgres or in memory; migrations",
    imports: ["turn"],
  },
  { name: "guard", holds: "who may come in, and how often: keys, hosts, origins, limits", imports: ["turn"] },
  { name: "telemetry", holds: "events, metrics, logs, redaction", imports: ["turn"] },
  {
    name: "config",
    holds: "the configuration's schema, loading, defaults, and the messages for mistakes",
    imports: [],
  },
  {
    name: "gateway",
    holds: "composition: one gateway out of a configuration; the library's entry",
    allBut: ["http", "cli"],
  },
  { name: "http", holds: "server, routes, stream writers, the page at `/`", allBut: ["cli"] },
  { name: "cli", holds: "commands", allBut: [] },
];

/** Folders beside src/ that no room may import. */
export const outside = ["test", "bench", "dist"];

/** Every room and every part of a room, with the globs of its files and all that it may import. */
export const places = rooms.flatMap((room) => {
  const imports = room.imports ?? rooms.map(({ name }) => name).filter((name) => !room.allBut.includes(name));
  const whole = {
    room: room.name,
    paths: [`src/${room.name}`],
    globs: [`src/${room.name}/**`],
    imports,
    allBut: room.allBut,
  };
  const parts = (room.parts ?? []).map((part) => ({
    room: room.name,
    paths: part.folders.map((folder) => `src/${room.name}/${folder.replace("*", "")}`),
    globs: part.folders.flatMap((folder) => {
      const path = `src/${room.name}/${folder}`;
      return folder.endsWith("*") ? [path, `${path}/**`] : [`${path}/**`];
    }),
    imports: [...imports, ...part.imports],
  }));
  return [whole, ...parts];
});

/** The text of biome.json with the rooms' overrides, yet to be formatted; everything else in it stays as it is. */
export function withRoomRules(biomeJson) {
  return replaceBetween(biomeJson, '\n  "overrides": [\n', "\n  ]", (overrides) => {
    const others = overrides.split(/,\n(?= {4}\{)/).filter((override) => !isRoomRule(JSON.parse(override)));
    return [...others, ...places.map((place) => JSON.stringify(roomRule(place), null, 2))].join(",\n");
  });
}

/** The text of CONTRIBUTING.md with the table of the rooms. */
export function withRoomTable(contributing) {
  const head = ["| room | what lives there | may import |", "| --- | --- | --- |"];
  const rows = rooms.map(
    (room) => `| \`src/${room.name}/\`${room.unbuilt ? " *" : ""} | ${room.holds} | ${mayImportCell(room)} |`,
  );
  return replaceBetween(contributing, "<!-- rooms: written by `npm run rooms` -->\n\n", "\n\n<!-- /rooms -->", () =>
    [...head, ...rows].join("\n"),
  );
}

function replaceBetween(text, start, end, write) {
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end, from);
  if (from < start.length || to < 0) throw new Error(`No section from ${start.trim()} to ${end.trim()} was found`);
  return text.slice(0, from) + write(text.slice(from, to)) + text.slice(to);
}

function isRoomRule({ includes, linter }) {
  return linter?.rules?.style?.noRestrictedImports !== undefined && includes.every((glob) => glob.startsWith("src/"));
}

/** A later override replaces the options of an earlier one, so that of a part repeats what is forbidden to its room. */
function roomRule(place) {
  const forbidden = rooms
    .map(({ name }) => name)
    .filter((name) => name !== place.room && !place.imports.includes(name));
  const files = place.imports.filter((path) => path.includes("/"));
  const group = [`../**/{${[...forbidden, ...outside].join(",")}}/**`, ...files.map((file) => `!../**/${file}`)];
  const message = `${sentence(place)}: see the house rules in CONTRIBUTING.md.`;
  const noRestrictedImports = { level: "error", options: { patterns: [{ group, message }] } };
  return { includes: place.globs, linter: { rules: { style: { noRestrictedImports } } } };
}

function sentence({ paths, imports, allBut }) {
  const subject = listed(paths);
  const inSource = (names) => listed(names.map((name) => `src/${name}`));
  if (allBut?.length === 0) return `${subject} may import every room of src/, but no other folder of the repository`;
  if (allBut !== undefined) return `${subject} may import every room but ${inSource(allBut)}`;
  if (imports.length === 0) return `${subject} imports no other room`;
  return `${subject} may import ${inSource(imports)}`;
}

function listed(words) {
  return words.join(", ").replace(/, ([^,]*)$/, " and $1");
}

function mayImportCell({ imports, allBut, parts = [] }) {
  const quoted = (names) => names.map((name) => `\`${name.replace("*", "")}\``).join(", ");
  if (allBut !== undefined) return allBut.length === 0 ? "all" : `all but ${quoted(allBut)}`;
  const also = parts.map((part) => `; ${quoted(part.folders)} also ${quoted(part.imports)}`);
  return (quoted(imports) || "nothing") + also.join("");
}
