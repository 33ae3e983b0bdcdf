import { brokenFaults } from "./broken-streams.ts";
import { contentFaults } from "./calls-content.ts";
import { endingFaults } from "./calls-ending.ts";
import { identityFaults } from "./calls-identity.ts";
import type { Fault } from "./fault.ts";
import { framingFaults } from "./framing.ts";
import { silenceFaults } from "./silence.ts";
import { socketFaults } from "./sockets.ts";
import { statusFaults } from "./statuses.ts";

/** Everything that a provider can do wrong, by subject. */
export const faults: Record<string, Fault[]> = {
  "calls that are hard to tell apart": identityFaults,
  "calls that are hard to read": contentFaults,
  "calls that come twice, late or with the wrong end": endingFaults,
  "answers that break": brokenFaults,
  "bytes that are odd": framingFaults,
  "answers that are refusals": statusFaults,
  silence: silenceFaults,
  "connections that break": socketFaults,
};
