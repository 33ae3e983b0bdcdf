import { duration, flag, integer, oneOf, section, wordOrList } from "./values.ts";

/** The keys that every backend has. All are optional, because the defaults are on another level. */

export const turnShape = {
  keep_alive: duration().optional(),
  strict_failure: oneOf("error", "message").optional(),
  reask: integer({ most: 10 }).optional(),
  repair: flag().optional(),
  profile: oneOf("openai", "extended").optional(),
  emit: oneOf("auto", "structured", "use_tool").optional(),
  ids: oneOf("random", "sequential").optional(),
};

const timeoutsShape = {
  connect: duration().optional(),
  first_content: duration().optional(),
  idle: duration().optional(),
  total: duration().optional(),
};

const breakerShape = {
  failures: integer({ least: 1 }).optional(),
  window: duration().optional(),
  cooldown: duration().optional(),
};

/** Settings of a backend that a model may override. The turn settings may be among them or under `turn`. */
export const sharedShape = {
  tools: oneOf("native", "prompted").optional(),
  dialects: wordOrList(["auto", "none"], "dialect names").optional(),
  timeouts: section(timeoutsShape),
  breaker: section(breakerShape),
  retries: integer({ most: 10 }).optional(),
  turn: section(turnShape),
  ...turnShape,
};
