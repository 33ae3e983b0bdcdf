import { isObject, parseJson } from "../../turn/index.ts";
import type { Dialect } from "../dialect.ts";
import { escapeEntities } from "../reading/entities.ts";
import { parameterTags, requireNothing } from "../reading/parameter-tags.ts";
import { seesCall, toolTag } from "../reading/tool-tag.ts";

const nextCall = /^<\s*([\w.:-]+)\s*(?:\/>|>\s*<)/;

/** `<TOOL><KEY>VALUE</KEY>…</TOOL>`: tags inside of a value are an object, a tag that is repeated is a list; entities count. */
export const morphXml: Dialect = {
  name: "morph-xml",
  models: "any that is prompted to use tool names as tags, as for Cline and Roo",
  openers: ["<"],
  closers: [],
  bare: true,
  *read(block) {
    do {
      if (block.accepted) yield* block.expect("<");
      const { name, isEmpty } = yield* toolTag(block);
      yield* block.space();
      // A tag in a sentence is no call, and nothing to report.
      if (!isEmpty && !(yield* block.sees("<"))) block.fail("there is no parameter");
      block.begin(name);
      if (isEmpty) {
        requireNothing(block);
        block.arguments("{}");
      } else yield* parameterTags(block, { around: name, trim: "nothing", hasEntities: true });
      block.end();
      block.accept();
    } while (yield* seesCall(block, nextCall));
  },
  write: (calls) => calls.map(({ name, arguments: text }) => writeTags(name, text)).join("\n"),
};

function writeTags(name: string, text: string): string {
  const given = parseJson(text);
  const written = Object.entries(isObject(given) ? given : {}).map(([key, value]) => {
    const raw = typeof value === "string" ? value : JSON.stringify(value);
    return `<${key}>${escapeEntities(raw)}</${key}>\n`;
  });
  return `<${name}>\n${written.join("")}</${name}>`;
}
