/** Until then code is compiled and pools are filled: nothing is said of the slope before. */
const warmUp = 100;

const slopes = [
  { name: "heap of the gateway", key: "heap", most: 3 },
  { name: "rss of the gateway", key: "rss", most: 30 },
  { name: "rss of Codex", key: "codexRss", most: 100 },
  // Codex writes records of every turn; the gateway relieves it before they are much.
  { name: "temporary files", key: "temporary", most: 60 },
  { name: "home of Codex", key: "home", most: 2 },
];

const left = [
  { name: "threads that stay loaded", key: "threads", most: 0 },
  { name: "answers that the provider still sends", key: "open", most: 0 },
  // The breaker keeps the last failure, whose stack keeps the turn that it was of.
  { name: "turns that stay in memory", key: "exchanges", most: 1 },
];

const steady = [
  { name: "timers", key: "timers", margin: 5 },
  { name: "handles", key: "handles", margin: 5 },
  { name: "sockets at the provider", key: "sockets", margin: 10 },
];

/** Each a sentence, and whether it is as it should be. */
export function judge(samples) {
  const warm = samples.filter(({ requests }) => requests >= warmUp);
  return [
    ...left.map(({ name, key, most }) => {
      const found = Math.max(...samples.map((sample) => sample[key]));
      return { ok: found <= most, sentence: `${name}: ${found} in any sample, at most ${most}` };
    }),
    ...steady.map(({ name, key, margin }) => {
      const [first, last] = [warm[0][key], warm.at(-1)[key]];
      return { ok: last <= first + margin, sentence: `${name}: ${first} after the warm-up, ${last} at the end` };
    }),
    ...slopes.map(({ name, key, most }) => {
      const slope = slopeOf(warm, key) / 1024;
      const sentence = `${name}: ${slope.toFixed(2)} KB a request after the warm-up, at most ${most}`;
      return { ok: slope <= most, sentence };
    }),
  ];
}

/** The line that fits best, bytes a request. */
function slopeOf(samples, key) {
  const mean = (of) => samples.reduce((sum, sample) => sum + sample[of], 0) / samples.length;
  const [x, y] = [mean("requests"), mean(key)];
  const sum = (of) => samples.reduce((total, sample) => total + of(sample), 0);
  const spread = sum(({ requests }) => (requests - x) ** 2);
  return spread === 0 ? 0 : sum((sample) => (sample.requests - x) * (sample[key] - y)) / spread;
}
