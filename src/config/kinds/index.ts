import { chat } from "./chat.ts";
import { codex } from "./codex.ts";
import { demo } from "./demo.ts";
import type { BackendKind } from "./kind.ts";
import { responses } from "./responses.ts";

/** Every kind of backend that a configuration may name, in the order in which messages list them. */
export const backendKinds = { chat, responses, codex, demo };

type Kinds = typeof backendKinds;

export type BackendKindName = keyof Kinds;
/** The settings that only this kind has. */
export type OwnSettings<Name extends BackendKindName> = ReturnType<Kinds[Name]["resolve"]>;
type Written<Name extends BackendKindName> = Parameters<Kinds[Name]["resolve"]>[0];
type Overrides<Name extends BackendKindName> = Parameters<Kinds[Name]["override"]>[1];
type KindNamed<Name extends BackendKindName> = BackendKind<OwnSettings<Name>, Written<Name>, Overrides<Name>>;

const byName: { readonly [Name in BackendKindName]: KindNamed<Name> } = backendKinds;

export const kindNames = Object.values(backendKinds).map(({ name }) => name);

/** The kind of a backend's settings, written or resolved. */
export function kindOf<Name extends BackendKindName>({ kind }: { kind: Name }): KindNamed<Name> {
  return byName[kind];
}

/** Whether a backend of this kind accepts any model name. */
export function isService({ kind }: { kind: BackendKindName }): boolean {
  return byName[kind].fixedModels === undefined;
}
