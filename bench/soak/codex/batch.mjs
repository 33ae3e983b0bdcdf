/** Ten requests: those with a call come twice. */
const cycle = ["plain", "fleeing", "native", "leaving", "written", "streamed", "fleeing", "failing"];
const requestsOfCycle = 10;

/** Samples are taken after so many requests. */
export const batchSize = 50;

/** The tasks of a batch; they take turns in the API and in whether they stream. */
export function tasksOfBatch(batch) {
  const cycles = batchSize / requestsOfCycle;
  return Array.from({ length: cycles }, (_, index) => batch * cycles + index).flatMap((round) =>
    cycle.map((name, place) => ({
      name,
      shape: {
        number: round * cycle.length + place,
        api: (round + place) % 2 === 0 ? "chat" : "responses",
        stream: (round >> 1) % 2 === 0,
      },
    })),
  );
}

/** Runs all of them, some at a time; a task that fails is told, and the others go on. */
export async function runTasks(tasks, todo, concurrency) {
  const queue = [...todo];
  const failures = [];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { name, shape } = next;
      await tasks[name](shape).catch((error) => failures.push(`${name} ${shape.number}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return failures;
}
