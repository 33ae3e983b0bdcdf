import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const rooms = [
  "turn",
  "tools",
  "dialects",
  "wire",
  "backends",
  "servertools",
  "engine",
  "store",
  "guard",
  "telemetry",
  "config",
  "gateway",
  "http",
  "cli",
] as const;

type Room = (typeof rooms)[number];

const allBut = (...left: Room[]) => rooms.filter((room) => !left.includes(room));

/** Which rooms each room may import; the table of CONTRIBUTING.md. */
const mayImport: Record<Room, readonly Room[]> = {
  turn: [],
  tools: ["turn"],
  dialects: ["turn"],
  wire: ["turn", "tools"],
  backends: ["turn", "tools"],
  servertools: ["turn", "tools"],
  engine: ["turn", "tools", "dialects"],
  store: ["turn"],
  guard: ["turn"],
  telemetry: ["turn"],
  config: [],
  gateway: allBut("http", "cli"),
  http: allBut("cli"),
  cli: rooms,
};

const root = join(import.meta.dirname, "../..");

interface Finding {
  file: string;
  rule: string;
  message: string;
}

/** A file of the planted tree: one import, and whether the rule lets it be. */
interface Plant {
  file: string;
  imports: string;
  allowed: boolean;
}

function everyPair(): Plant[] {
  return rooms.flatMap((room) =>
    rooms
      .filter((other) => other !== room)
      .flatMap((other) => {
        const allowed = mayImport[room].includes(other);
        return [
          { file: `src/${room}/to-${other}.ts`, imports: `../${other}/index.ts`, allowed },
          { file: `src/${room}/inner/to-${other}.ts`, imports: `../../${other}/index.ts`, allowed },
        ];
      }),
  );
}

function outsideSource(): Plant[] {
  return rooms.flatMap((room) =>
    ["test", "bench", "dist"].map((folder) => ({
      file: `src/${room}/to-outside-${folder}.ts`,
      imports: `../../${folder}/index.ts`,
      allowed: false,
    })),
  );
}

function ownRoom(): Plant[] {
  return rooms.flatMap((room) => [
    { file: `src/${room}/to-neighbour.ts`, imports: "./neighbour.ts", allowed: true },
    { file: `src/${room}/inner/to-parent.ts`, imports: "../neighbour.ts", allowed: true },
    { file: `src/${room}/inner/to-sibling.ts`, imports: "../sibling/neighbour.ts", allowed: true },
  ]);
}

/** The doors that only a part of a room has. */
const narrowDoors: Plant[] = [
  { file: "src/wire/use-tool/reads.ts", imports: "../../dialects/index.ts", allowed: true },
  { file: "src/wire/use-tool/runs.ts", imports: "../../engine/index.ts", allowed: false },
  { file: "src/wire/chat/reads.ts", imports: "../../dialects/index.ts", allowed: false },
  { file: "src/backends/demo.ts", imports: "../dialects/index.ts", allowed: true },
  { file: "src/backends/demo/script.ts", imports: "../../dialects/index.ts", allowed: true },
  { file: "src/backends/demo/maps.ts", imports: "../../wire/chat/messages.ts", allowed: false },
  { file: "src/backends/stream.ts", imports: "../wire/sse.ts", allowed: true },
  { file: "src/backends/whole-wire.ts", imports: "../wire/index.ts", allowed: false },
  { file: "src/backends/chat/splits.ts", imports: "../../wire/sse.ts", allowed: true },
  { file: "src/backends/chat/maps-messages.ts", imports: "../../wire/chat/messages.ts", allowed: true },
  { file: "src/backends/chat/maps-tools.ts", imports: "../../wire/chat/tools.ts", allowed: true },
  { file: "src/backends/chat/encodes.ts", imports: "../../wire/chat/encoder.ts", allowed: false },
  { file: "src/backends/chat/maps-items.ts", imports: "../../wire/responses/items.ts", allowed: false },
  { file: "src/backends/responses/maps-items.ts", imports: "../../wire/responses/items.ts", allowed: true },
  { file: "src/backends/responses/maps-tools.ts", imports: "../../wire/responses/tools.ts", allowed: true },
  { file: "src/backends/responses/maps-messages.ts", imports: "../../wire/chat/messages.ts", allowed: false },
  { file: "src/backends/codex/maps-items.ts", imports: "../../wire/responses/items.ts", allowed: true },
];

/** However it is written, an import is an import. */
const forms: Record<string, string> = {
  "src/turn/form-type.ts": 'import type { Engine } from "../engine/index.ts";\nexport type Own = Engine;\n',
  "src/turn/form-export.ts": 'export { run } from "../engine/index.ts";\n',
  "src/turn/form-dynamic.ts": 'export const engine = await import("../engine/index.ts");\n',
};

const ring: Record<string, string> = {
  "src/turn/ring-one.ts": 'import { two } from "./ring-two.ts";\nexport const one = () => two;\n',
  "src/turn/ring-two.ts": 'import { one } from "./ring-one.ts";\nexport const two = () => one;\n',
};

const plants = [...everyPair(), ...outsideSource(), ...ownRoom(), ...narrowDoors];
let tree: string;
let findings: Finding[];

beforeAll(async () => {
  tree = mkdtempSync(join(tmpdir(), "toolwire-house-"));
  for (const file of ["biome.json", ".gitignore"]) copyFileSync(join(root, file), join(tree, file));
  for (const plant of plants) write(plant.file, `import "${plant.imports}";\n`);
  for (const [file, text] of Object.entries({ ...forms, ...ring })) write(file, text);
  findings = await lint();
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  writeFileSync(join(tree, file), text);
}

function lint(): Promise<Finding[]> {
  const biome = join(root, "node_modules/.bin/biome");
  const options = { cwd: tree, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(biome, ["lint", "--reporter=json", "--max-diagnostics=none", "src"], options, (_, stdout, stderr) => {
      try {
        const report = JSON.parse(stdout) as {
          diagnostics: { category: string; message: string; location: { path: string } }[];
        };
        resolve(
          report.diagnostics.map(({ category, message, location }) => ({
            file: location.path.replaceAll("\\", "/"),
            rule: category,
            message,
          })),
        );
      } catch (error) {
        reject(new Error(`biome gave no report: ${stderr}`, { cause: error }));
      }
    });
  });
}

function reportedBy(rule: string): string[] {
  return [...new Set(findings.filter((finding) => finding.rule === rule).map((finding) => finding.file))].sort();
}

describe("the import rule", () => {
  it.each(rooms)("holds for src/%s: what the table allows passes, all else is reported", (room) => {
    const here = (file: string) => file.startsWith(`src/${room}/`) && !(file in forms);
    const forbidden = plants.filter((plant) => here(plant.file) && !plant.allowed).map((plant) => plant.file);

    expect(reportedBy("lint/style/noRestrictedImports").filter(here)).toEqual(forbidden.sort());
    expect(forbidden.length).toBeGreaterThan(0);
  });

  it.each(Object.keys(forms))("sees the import of %s", (file) => {
    expect(reportedBy("lint/style/noRestrictedImports")).toContain(file);
  });

  it("says which rooms may be imported, and where the rule stands", () => {
    const finding = findings.find(({ file }) => file === "src/engine/to-backends.ts");

    expect(finding?.message).toContain("src/engine may import src/turn, src/tools and src/dialects");
    expect(finding?.message).toContain("CONTRIBUTING.md");
  });

  it("reports a ring of imports at each of its files", () => {
    expect(reportedBy("lint/suspicious/noImportCycles")).toEqual(Object.keys(ring));
  });

  it("covers every folder of src", () => {
    const entries = readdirSync(join(root, "src"), { withFileTypes: true });

    expect(entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name)).toEqual([]);
    expect([...rooms]).toEqual(expect.arrayContaining(entries.map((entry) => entry.name)));
  });
});
