import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outside, places, rooms, withRoomRules, withRoomTable } from "../../scripts/rooms.mjs";

const names = rooms.map(({ name }) => name);

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

/** The entry of every room, every single file that a place may import, and a file beside each of those. */
function targets(): string[] {
  const files = places.flatMap(({ imports }) => imports).filter((path) => path.includes("/"));
  const beside = files.map((file) => `${posix.dirname(file)}/beside.ts`);
  return [...new Set([...names.map((name) => `${name}/index.ts`), ...files, ...beside])];
}

function everyPair(): Plant[] {
  return places.flatMap(({ room, globs, imports }) =>
    targets()
      .filter((target) => !target.startsWith(`${room}/`))
      .flatMap((target) => {
        const allowed = imports.some((path) => target === path || target.startsWith(`${path}/`));
        const name = `to-${target.replaceAll("/", "-")}`;
        return globs
          .flatMap((glob) => filesOf(glob, name))
          .map((file) => ({ file, imports: posix.relative(posix.dirname(file), `src/${target}`), allowed }));
      }),
  );
}

/** `src/engine/**` is planted in the folder and in one inside it, `src/backends/chat*` beside the folder. */
function filesOf(glob: string, name: string): string[] {
  if (!glob.endsWith("/**")) return [glob.replace("*", `-${name}`)];
  const folder = glob.slice(0, -"/**".length).replace("*", "");
  return [`${folder}/${name}`, `${folder}/inner/${name}`];
}

function outsideSource(): Plant[] {
  return names.flatMap((room) =>
    outside.map((folder) => ({
      file: `src/${room}/to-outside-${folder}.ts`,
      imports: `../../${folder}/index.ts`,
      allowed: false,
    })),
  );
}

function ownRoom(): Plant[] {
  return names.flatMap((room) => [
    { file: `src/${room}/to-neighbour.ts`, imports: "./neighbour.ts", allowed: true },
    { file: `src/${room}/inner/to-parent.ts`, imports: "../neighbour.ts", allowed: true },
    { file: `src/${room}/inner/to-sibling.ts`, imports: "../sibling/neighbour.ts", allowed: true },
  ]);
}

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

const plants = [...everyPair(), ...outsideSource(), ...ownRoom()];
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
  it.each(names)("holds for src/%s: what the table allows passes, all else is reported", (room) => {
    const here = (file: string) => file.startsWith(`src/${room}/`) && !(file in forms);
    const forbidden = plants.filter((plant) => here(plant.file) && !plant.allowed).map((plant) => plant.file);

    expect(reportedBy("lint/style/noRestrictedImports").filter(here)).toEqual(forbidden.sort());
    expect(forbidden.length).toBeGreaterThan(0);
  });

  it.each(Object.keys(forms))("sees the import of %s", (file) => {
    expect(reportedBy("lint/style/noRestrictedImports")).toContain(file);
  });

  it.each([
    ["src/engine/to-backends-index.ts", "src/engine may import src/turn, src/tools and src/dialects:"],
    [
      "src/backends/chat/to-wire-index.ts",
      "src/backends/chat may import src/turn, src/tools, src/wire/sse.ts, src/wire/chat/messages.ts and src/wire/chat/tools.ts:",
    ],
  ])("says at %s what may be imported, and where the rule stands", (planted, sentence) => {
    const finding = findings.find(({ file }) => file === planted);

    expect(finding?.message).toContain(sentence);
    expect(finding?.message).toContain("CONTRIBUTING.md");
  });

  it("reports a ring of imports at each of its files", () => {
    expect(reportedBy("lint/suspicious/noImportCycles")).toEqual(Object.keys(ring));
  });

  it("covers every folder of src", () => {
    const entries = readdirSync(join(root, "src"), { withFileTypes: true });

    expect(entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(entries.map((entry) => entry.name)));
  });

  it("stands in biome.json as the table has it", () => {
    const text = readFileSync(join(root, "biome.json"), "utf8");

    expect(JSON.parse(text), outdated("biome.json")).toEqual(JSON.parse(withRoomRules(text)));
  });

  it("stands in CONTRIBUTING.md as the table has it", () => {
    const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");

    expect(text, outdated("CONTRIBUTING.md")).toBe(withRoomTable(text));
  });
});

function outdated(file: string): string {
  return `${file} differs from the table in scripts/rooms.mjs. Run \`npm run rooms\` and commit what it writes`;
}
