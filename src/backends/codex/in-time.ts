/** The promise's result, or the error from `late` after the time limit. */
export function inTime<T>(promise: Promise<T>, milliseconds: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
