/** Resolves or rejects as the work does, or rejects with the error of `late` if that takes longer. */
export async function inTime<Result>(work: Promise<Result>, milliseconds: number, late: () => Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds).unref();
  });
  try {
    return await Promise.race([work, isLate]);
  } finally {
    clearTimeout(timer);
  }
}
