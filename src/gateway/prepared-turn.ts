import { runTurn, type TurnPlan } from "../engine/index.ts";
import type { Cancellation, ReplyStream } from "../turn/index.ts";
import { type AnswerOptions, type ClientRequest, type Codec, eventStream, json } from "../wire/index.ts";
import type { TurnKeeper } from "./turn-keeper.ts";

/** A decoded and validated request, ready to run. */
export interface PreparedTurn {
  readonly contentType: string;
  /** Response headers of this turn. They are final once the stream is opened or the turn has ended. */
  headers(): Readonly<Record<string, string>>;
  /** `cancellation` ends the turn from outside; its reason is the error that the client gets. */
  run(reply: ReplyStream, cancellation: Cancellation): ReturnType<typeof runTurn>;
}

/** Response headers. They depend on the candidate that is being tried. */
export class AnswerHeaders {
  values: Readonly<Record<string, string>> = {};
}

/** Created outside of `prepare`: its closures would hold all of its variables while the model answers. */
export function preparedTurn(
  plan: Omit<TurnPlan, "cancellation">,
  headers: AnswerHeaders,
  keeper: TurnKeeper | undefined,
): PreparedTurn {
  return {
    contentType: plan.turn.stream ? eventStream : json,
    headers: () => (keeper ? { ...headers.values, ...keeper.headers } : headers.values),
    run: (reply, cancellation) => runTurn(Object.assign(plan, { cancellation }), reply),
  };
}

export function encoderFor(
  codec: Codec,
  request: ClientRequest,
  {
    sink,
    model,
    profile,
    keeper,
  }: Pick<AnswerOptions, "sink" | "model" | "profile"> & { keeper: TurnKeeper | undefined },
): TurnPlan["createEncoder"] {
  const createdAt = now();
  const isKept = () => keeper?.isKept ?? false;
  return (id, answer) => codec.createEncoder(request, { id, answer, sink, model, createdAt, now, profile, isKept });
}

/** Unix time in seconds, as in both APIs. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}
