/** Most things are small, some are large, few are as large as is allowed at all. */
export function sizeUpTo(random, most) {
  const tier = random.weighted([
    [55, 2_000],
    [27, 64_000],
    [13, 1_000_000],
    [4, 8_000_000],
    [1, 31_000_000],
  ]);
  return random.size(1, Math.min(tier, most));
}

export function repeated(text, size) {
  return text.repeat(Math.max(1, Math.ceil(size / Math.max(1, text.length))));
}
