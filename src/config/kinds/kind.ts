import { z } from "zod";
import type { Environment } from "../environment.ts";
import type { Mapping } from "../mapping.ts";
import { sharedShape } from "../shared-shape.ts";
import { strict } from "../values.ts";

/**
 * What the configuration knows of one kind of backend. `Own` are its settings beside those of every backend, as the gateway uses
 * them; `Written` are the same as an entry of `backends` has them, and `Overrides` as an entry of `models` has them.
 */
export interface BackendKind<Own, Written, Overrides> {
  resolve(written: Written, toAbsolute: ToAbsolute): Own;
  /** The settings of a model of this backend. What the model does not override stays as it is. */
  override(own: Own, written: Overrides, toAbsolute: ToAbsolute): Own;
  /** The keys whose values no message may show. */
  readonly secretKeys: readonly string[];
  /** The values that must appear in no log and no answer. */
  secrets(own: Own): string[];
  /** What makes out the service behind the settings: two entries with equal values share their failures. */
  service(own: Own): readonly unknown[];
  /** The settings in words, one text a column, without secrets. */
  describe(own: Own): string[];
  /** The models, where all are known in advance. A kind without them is a service, to which any model's name is passed on. */
  readonly fixedModels?: FixedModels;
  /** What a backend's own name means where it is the name of a model. In other kinds it is none. */
  readonly ownName?: OwnName;
  /** Whether a backend runs a program on this machine, which can tell how it is. */
  readonly runsProgram?: boolean;
  /** A backend that this machine offers by itself. It is used where the configuration has no backends. */
  find?(environment: Environment): FoundBackend | undefined;
}

export type ToAbsolute = (written: string) => string;

export interface FixedModels {
  /** The model that an entry of `models` means when it names none. */
  readonly main: string;
  /** The main model in other forms, given the names of all dialects. */
  variants(dialects: readonly string[]): readonly string[];
  /** The dialect in which a model is known to write its calls. */
  dialectOf(model: string, dialects: readonly string[]): string | undefined;
  /** The models in words, for whoever names one that does not exist. */
  readonly expected: string;
  /** The variants in words, under a name that stands for all of them. */
  readonly variantsInWords: { name: string; meaning: string };
}

export interface OwnName {
  /** The model that the name means. */
  model(backend: string): string;
  /** The same in words. */
  describe(backend: string): string;
}

export interface FoundBackend {
  name: string;
  settings: Mapping;
  /** The environment variables behind the settings, by key, for messages. */
  sources?: Readonly<Record<string, string>>;
}

type Shape = z.core.$ZodLooseShape;
type Output<Keys extends Shape> = z.output<z.ZodObject<Keys>>;

interface Definition<Name extends string, Own, Keys extends Shape, Overrides extends Shape>
  extends BackendKind<Own, Output<Keys>, Output<Overrides>> {
  /** As the configuration writes it under `kind`. */
  name: Name;
  /** The kind's own keys in an entry of `backends`. */
  keys: Keys;
  /** The same keys in an entry of `models`, all optional. A key that several kinds have means the same in all of them. */
  overrides: Overrides;
}

/** A kind with the schema of its entries in `backends`. */
export function defineKind<
  const Name extends string,
  Keys extends Shape,
  Overrides extends Shape,
  Own extends { kind: Name },
>(definition: Definition<Name, Own, Keys, Overrides>) {
  const { name, keys } = definition;
  return { ...definition, schema: strict({ kind: z.literal(name), ...keys, ...sharedShape }) };
}
