import type { JsonObject, JsonValue } from "../../turn/index.ts";
import { isOfType } from "./fits.ts";
import { withinBounds } from "./number-value.ts";
import type { SchemaType } from "./schema.ts";
import { plausibleValue, textFromQuestion, withinLimits } from "./text-value.ts";
import { allowanceAt, type Filled, given, nothing, type Spot, type Walk, weigh } from "./walk.ts";
import { contentStems, stem, wordsOf } from "./words.ts";

export function fillEnum(listed: JsonValue[], types: SchemaType[], spot: Spot, walk: Walk): Filled {
  const allowance = allowanceAt(spot, walk);
  allowance.spend(listed.length / 64);
  const values = listed
    .slice(0, 1_000)
    .filter((value) => types.length === 0 || types.some((type) => isOfType(value, type)));
  const named = walk.evidence.takeNamed(values, spot.reach);
  if (named !== undefined) return { value: named, evident: true, whole: true };
  const first = values.find((value) => weigh(value, allowance)) ?? nothing(types[0]);
  return given(values.includes(null) ? null : first);
}

export function fillText(schema: JsonObject, spot: Spot, walk: Walk): Filled {
  const found = textFromQuestion(spot.name, schema, walk.evidence, spot.reach, spot.open);
  const value = withinLimits(found ?? plausibleValue(spot.name, schema), schema);
  return { value, evident: found !== undefined, whole: true };
}

export function fillNumber(schema: JsonObject, spot: Spot, walk: Walk, integer: boolean): Filled {
  const description = typeof schema.description === "string" ? schema.description.slice(0, 200) : "";
  const { evidence } = walk;
  const found =
    evidence.takeNumberBeside(new Set(wordsOf(spot.name).map(stem))) ??
    evidence.takeNumberBeside(new Set(contentStems(description))) ??
    (spot.reach === "own" ? undefined : evidence.takeNumber(spot.reach));
  return { value: withinBounds(found ?? 1, schema, integer), evident: found !== undefined, whole: true };
}

export function fillBoolean(spot: Spot, walk: Walk): Filled {
  const attitude = walk.evidence.attitude(contentStems(spot.name).at(-1) ?? "");
  return { value: attitude ?? false, evident: attitude !== undefined, whole: true };
}
