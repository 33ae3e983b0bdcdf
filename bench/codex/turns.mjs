/** After a batch, until what was begun by its last answers is over: threads are dropped behind their answers. */
export const settling = 150;

/** So many, some at a time; the results in the order in which they came. */
export async function inTurns({ requests, concurrency }, one) {
  let left = requests;
  const results = [];
  const worker = async () => {
    while (left-- > 0) results.push(await one());
  };
  await Promise.all(Array.from({ length: Math.min(requests, concurrency) }, worker));
  return results;
}
