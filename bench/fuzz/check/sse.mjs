/** The events of a stream that a gateway wrote: strictly in the form that it always writes, and nothing else. */
export function parseEvents(text, finding) {
  const events = [];
  if (text !== "" && !text.endsWith("\n\n")) finding("the stream does not end with a blank line");
  for (const block of text.split("\n\n")) {
    if (block === "" || block.startsWith(":")) continue;
    const lines = block.split("\n");
    const name = lines.length === 2 && lines[0].startsWith("event: ") ? lines[0].slice(7) : undefined;
    const data = lines.at(-1);
    if (lines.length > 2 || (lines.length === 2 && name === undefined) || !data.startsWith("data: ")) {
      finding(`a block that is no event: ${JSON.stringify(block.slice(0, 100))}`);
      continue;
    }
    if (data === "data: [DONE]") {
      events.push({ done: true });
      continue;
    }
    try {
      events.push({ name, data: JSON.parse(data.slice(6)) });
    } catch {
      finding(`the data of an event is not JSON: ${JSON.stringify(data.slice(0, 100))}`);
    }
  }
  return events;
}
