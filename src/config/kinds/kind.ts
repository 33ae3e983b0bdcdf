import { z } from "zod";
import type { Environment } from "../environment.ts";
import type { Mapping } from "../mapping.ts";
import { sharedShape } from "../shared-shape.ts";
import { strict } from "../values.ts";

/**
 * Describes one kind of backend to the configuration. `Own` are the resolved settings that only this kind has, `Written` the same
 * settings in an entry of `backends`, and `Overrides` those in an entry of `models`.
 */
export interface BackendKind<Own, Written, Overrides> {
  resolve(written: Written, toAbsolute: ToAbsolute): Own;
  /** The backend's settings with the overrides of a model. */
  override(own: Own, written: Overrides, toAbsolute: ToAbsolute): Own;
  /** The keys whose values must not appear in messages. */
  readonly secretKeys: readonly string[];
  /** The values that must not appear in logs and answers. */
  secrets(own: Own): string[];
  /** Identifies the service behind the settings. Entries with equal values share a circuit breaker. */
  service(own: Own): readonly unknown[];
  /** The settings for `toolwire check`, one text per column, without secrets. */
  describe(own: Own): string[];
  /** The models, if all are known in advance. A kind without fixed models is a service, which accepts any model name. */
  readonly fixedModels?: FixedModels;
  /** Present if the backend's own name is also the name of a model. */
  readonly ownName?: OwnName;
  /** Whether a backend runs a program on this machine and can report its state. */
  readonly runsProgram?: boolean;
  /** Finds a backend on this machine, for a configuration without backends. */
  find?(environment: Environment): FoundBackend | undefined;
}

export type ToAbsolute = (written: string) => string;

export interface FixedModels {
  /** The default model of an entry of `models`. */
  readonly main: string;
  /** Variants of the main model, given the names of all dialects. */
  variants(dialects: readonly string[]): readonly string[];
  /** The dialect in which a model writes its calls, if it is known. */
  dialectOf(model: string, dialects: readonly string[]): string | undefined;
  /** The models in words, for the message about an unknown model. */
  readonly expected: string;
  /** A placeholder name for all variants, and its explanation. */
  readonly variantsInWords: { name: string; meaning: string };
}

export interface OwnName {
  /** The model that the name refers to. */
  model(backend: string): string;
  /** The same in words. */
  describe(backend: string): string;
}

export interface FoundBackend {
  name: string;
  settings: Mapping;
  /** The environment variables that the settings come from, by key, for messages. */
  sources?: Readonly<Record<string, string>>;
}

type Shape = z.core.$ZodLooseShape;
type Output<Keys extends Shape> = z.output<z.ZodObject<Keys>>;

interface Definition<Name extends string, Own, Keys extends Shape, Overrides extends Shape>
  extends BackendKind<Own, Output<Keys>, Output<Overrides>> {
  /** The value of `kind` in the configuration. */
  name: Name;
  /** The kind's own keys in an entry of `backends`. */
  keys: Keys;
  /** The same keys in an entry of `models`, all optional. Kinds that share a key must give it the same meaning. */
  overrides: Overrides;
}

/** Adds the schema of the kind's entries in `backends`. */
export function defineKind<
  const Name extends string,
  Keys extends Shape,
  Overrides extends Shape,
  Own extends { kind: Name },
>(definition: Definition<Name, Own, Keys, Overrides>) {
  const { name, keys } = definition;
  return { ...definition, schema: strict({ kind: z.literal(name), ...keys, ...sharedShape }) };
}
