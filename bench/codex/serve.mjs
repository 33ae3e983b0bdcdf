/**
 * The child's end of child.mjs: `start` gives what the parent is told, the answers to what it may ask, and how all of it is
 * closed. Without a parent there is nothing to do: then the process ends.
 */
export async function serve(start) {
  let close = () => {};
  let isOver = false;
  const end = async () => {
    if (isOver) return;
    isOver = true;
    await close();
    process.exit(0);
  };
  process.on("disconnect", end);
  // Ctrl-C is heard by every process of the terminal; the parent says when it is over.
  process.on("SIGINT", () => {});

  const send = (message) => process.connected && process.send(message);
  const begun = await start();
  close = begun.close ?? close;
  const answers = { cpu: () => process.cpuUsage(), ...begun.answers };
  process.on("message", async ({ id, question, params }) => {
    try {
      send({ id, answer: await answers[question](params) });
    } catch (error) {
      send({ id, error: error.stack });
    }
  });
  send({ id: "start", answer: begun.started });
  if (!process.connected) await end();
}
