const keys = ["message", "type", "param", "code"];

/** Whether an error is in the form that all errors have. */
export function checkError(error, finding, where) {
  if (error === null || typeof error !== "object") return finding(`${where}: the error is no object`);
  const own = Object.keys(error);
  if (own.length !== keys.length || !keys.every((key) => own.includes(key))) {
    finding(`${where}: the error's keys are ${own.join(", ").slice(0, 100)}`);
  }
  if (typeof error.message !== "string" || error.message === "") finding(`${where}: the error has no message`);
  if (typeof error.type !== "string") finding(`${where}: the error has no type`);
  if (error.param !== null && typeof error.param !== "string") finding(`${where}: param is a ${typeof error.param}`);
  if (error.code !== null && typeof error.code !== "string") finding(`${where}: code is a ${typeof error.code}`);
  if (error.code === "internal_error") finding(`${where}: internal_error`);
  return undefined;
}
