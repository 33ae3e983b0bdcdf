export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The ratio of each round, then the one in the middle: what slows a whole round down slows both sides of its ratio. `total` is
 * the ratio of the sums, in which a collection of garbage counts that falls into few rounds.
 */
export function ratioOf(over, under) {
  const ratios = over.map((value, round) => value / under[round]);
  return {
    median: median(ratios),
    min: Math.min(...ratios),
    max: Math.max(...ratios),
    total: sum(over) / sum(under),
  };
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

export function percentile(numbers, percent) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}
