import fc from "fast-check";
import type { CallKind, JsonObject, TurnEvent } from "../../src/turn/index.ts";
import { anyArguments, anyPieces, anyText } from "../support/arbitraries.ts";
import {
  annotation,
  call,
  callStarted,
  extra,
  failed,
  finished,
  gatewayCall,
  message,
  opaque,
  reasoning,
  refusal,
  type Scene,
  type Step,
  text,
  usage,
} from "./encoders.ts";

/** Writes an item as the events of its life. `follows` says whether a call comes next; `isCut`, whether the turn stops in it. */
type Item = (context: ItemContext) => TurnEvent[];

interface ItemContext {
  number: number;
  callFollows: boolean;
  isCut: boolean;
}

interface AnyItem {
  isCall: boolean;
  write: Item;
}

export interface SceneConstraints {
  /** Whether calls of the kind `search` occur; true unless said. */
  search?: boolean;
  /** Whether the turn may fail; true unless said. */
  failures?: boolean;
  /** Whether there are moments in which nothing comes; true unless said. */
  keepAlives?: boolean;
}

const citation: JsonObject = { type: "url_citation", url: "https://example.com/", title: "Example" };

function anyMessage(): fc.Arbitrary<AnyItem> {
  const logprobs = fc.option(fc.array(fc.record({ token: anyText(), logprob: fc.constant(-0.5) }), { maxLength: 2 }), {
    nil: undefined,
  });
  const words = fc
    .tuple(anyText(), anyPieces(), logprobs, fc.nat(2))
    .map(([said, pieces, probabilities, annotations]) => [
      ...pieces(said).map((piece) => text(piece, probabilities)),
      ...Array.from({ length: annotations }, (_, index) => annotation({ ...citation, start_index: index })),
    ]);
  const refused = fc.tuple(anyText(), anyPieces()).map(([said, pieces]) => pieces(said).map(refusal));
  const extras = fc.constant([extra({ audio: [{ id: "audio_1" }] })]);
  const part = fc.oneof(
    { weight: 6, arbitrary: words },
    { weight: 2, arbitrary: refused },
    { weight: 1, arbitrary: extras },
  );
  return fc.tuple(fc.array(part, { maxLength: 3 }), fc.boolean()).map(([parts, continues]) => ({
    isCall: false,
    write: ({ number, callFollows, isCut }) =>
      message(`msg_${number}`, parts.flat(), {
        continues,
        status: isCut ? "incomplete" : "completed",
        isCommentary: callFollows,
      }),
  }));
}

function anyReasoning(): fc.Arbitrary<AnyItem> {
  const part = fc.tuple(anyText(), anyPieces()).map(([thought, pieces]) => pieces(thought));
  return fc
    .tuple(fc.array(part, { maxLength: 3 }), fc.option(fc.constant("c2VjcmV0"), { nil: undefined }))
    .map(([parts, encrypted]) => ({
      isCall: false,
      write: ({ number }) => reasoning(`rs_${number}`, parts, encrypted),
    }));
}

function anyCall(kinds: readonly CallKind[]): fc.Arbitrary<AnyItem> {
  return fc.constantFrom(...kinds).chain((kind) => {
    const written = kind === "custom" ? anyText() : anyArguments().map((json) => (json === "" ? "{}" : json));
    const name = fc.constantFrom("get_weather", "get_time", "apply_patch");
    return fc.tuple(name, written, anyPieces()).map(([called, json, pieces]) => ({
      isCall: true,
      write: ({ number, isCut }) =>
        isCut
          ? [callStarted(number, called, { kind }), { type: "call.arguments", delta: '{"city":"Lis' }]
          : call(number, called, pieces(json), { kind }),
    }));
  });
}

function anyHiddenCall(): fc.Arbitrary<AnyItem> {
  return fc.tuple(anyArguments(), anyPieces(), anyText()).map(([json, pieces, output]) => ({
    isCall: true,
    write: ({ number }) => gatewayCall(number, "look_up", pieces(json), output),
  }));
}

function anyOpaque(): fc.Arbitrary<AnyItem> {
  const search = { type: "web_search_call", status: "completed" };
  const image = { type: "image_generation_call", status: "completed", result: "aGk=" };
  return fc
    .tuple(fc.constantFrom<JsonObject>(search, image), fc.constantFrom("responses", "another"))
    .map(([item, format]) => ({ isCall: false, write: ({ number }) => [opaque(`item_${number}`, item, format)] }));
}

/** Any sequence of events that the engine may give an encoder, with its ending. */
export function anyScene(constraints: SceneConstraints = {}): fc.Arbitrary<Scene> {
  const { search = true, failures = true, keepAlives = true } = constraints;
  const item = fc.oneof(
    { weight: 4, arbitrary: anyMessage() },
    { weight: 2, arbitrary: anyReasoning() },
    { weight: 3, arbitrary: anyCall(search ? ["function", "custom", "search"] : ["function", "custom"]) },
    { weight: 1, arbitrary: anyHiddenCall() },
    { weight: 1, arbitrary: anyOpaque() },
  );
  const reason = fc.constantFrom("stop", "length", "content_filter");
  return fc
    .record({
      rounds: fc.array(fc.array(item, { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      cutCall: fc.option(anyCall(["function", "custom"]), { nil: undefined }),
      reason,
      usage: fc.constantFrom(undefined, usage),
      // Where a turn fails: after this part of its events.
      failsAt: failures
        ? fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined, freq: 3 })
        : fc.constant(undefined),
      waits: fc.array(fc.nat(60), { maxLength: keepAlives ? 3 : 0 }),
    })
    .map(({ rounds, cutCall, reason: ended, usage: counted, failsAt, waits }) => {
      const isCut = ended !== "stop";
      const steps = stepsOf(rounds, isCut, isCut ? cutCall : undefined);
      const kept = failsAt === undefined ? steps : steps.slice(0, Math.floor(failsAt * steps.length));
      for (const at of waits) kept.splice(Math.min(at, kept.length), 0, "keep-alive");
      const ending = failsAt === undefined ? finished(ended, { usage: counted }) : { ...failed, usage: counted };
      return { steps: kept, ending };
    });
}

/** Every round's items, one after the other; the last one is cut where the turn is. */
function stepsOf(rounds: readonly AnyItem[][], isCut: boolean, cutCall: AnyItem | undefined): Step[] {
  let number = 0;
  return rounds.flatMap((items, round): Step[] => {
    const isLastRound = round === rounds.length - 1;
    const all = isLastRound && cutCall ? [...items, cutCall] : items;
    const written = all.flatMap(({ write }, index) =>
      write({
        number: ++number,
        callFollows: all[index + 1]?.isCall === true,
        // A whole call may stand last where a turn is cut behind it.
        isCut: isCut && isLastRound && index === all.length - 1 && (cutCall !== undefined || !all[index]?.isCall),
      }),
    );
    return isLastRound ? written : [...written, "next round"];
  });
}
