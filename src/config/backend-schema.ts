import { z } from "zod";
import { backendKinds, kindNames } from "./kinds/index.ts";
import { isMapping } from "./mapping.ts";
import { didYouMean } from "./nearest.ts";
import { sharedShape, turnShape } from "./shared-shape.ts";
import { list, named, section, text } from "./values.ts";

/** `chat` is the default kind. */
const { chat: usualKind, ...otherKinds } = backendKinds;

const backend = z.preprocess(
  (input, context) => {
    if (input !== null && !isMapping(input)) return input;
    const { kind = usualKind.name, ...rest } = input ?? {};
    if (!kindNames.some((known) => known === kind)) {
      context.addIssue({
        code: "custom",
        path: ["kind"],
        message: `expected one of ${kindNames.join(", ")}`,
        params: { hint: didYouMean(kind, kindNames), decidesTheRest: true },
        input: kind,
      });
      return z.NEVER;
    }
    return { kind, ...rest };
  },
  z.discriminatedUnion("kind", [usualKind.schema, ...Object.values(otherKinds).map(({ schema }) => schema)], {
    error: () => "expected a mapping",
  }),
);

type Overrides = (typeof backendKinds)[keyof typeof backendKinds]["overrides"];
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Every) => void
  ? Every
  : never;

/** The keys that an entry of `models` may override, for all kinds of backends. */
const overrides: All<Overrides> = Object.assign({}, ...Object.values(backendKinds).map(({ overrides }) => overrides));

const model = section({
  backend: text("the name of a backend"),
  model: text("the model's name at its backend").optional(),
  fallback: list(text("a model's name")),
  ...overrides,
  ...sharedShape,
});

export const backendsSchema = named("a name of letters, digits, '-', '_' and '.'", /^[a-z0-9][\w.-]*$/i, backend);
export const modelsSchema = named("a name of visible characters without spaces", /^[^\s\p{Cc}]+$/u, model);
export const turnSchema = section(turnShape);
