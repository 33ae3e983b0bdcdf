// Writes what scripts/rooms.mjs says into biome.json and CONTRIBUTING.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withRoomRules, withRoomTable } from "./rooms.mjs";
import { run } from "./run.mjs";
import { root } from "./setup.mjs";

function rewrite(name, write) {
  const file = join(root, name);
  writeFileSync(file, write(readFileSync(file, "utf8")));
}

rewrite("CONTRIBUTING.md", withRoomTable);
rewrite("biome.json", withRoomRules);

const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
const { code, output } = await run(process.execPath, [biome, "format", "--write", "biome.json"], { cwd: root });
if (code === 0) console.log("biome.json and CONTRIBUTING.md have the rooms of scripts/rooms.mjs.");
else process.stderr.write(`toolwire: biome could not format biome.json\n${output}`);
process.exitCode = code;
