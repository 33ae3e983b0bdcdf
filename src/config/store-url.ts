/** memory: of this process only. sqlite: a file. postgres: a server that several gateways may share. */
export type StoreKind = "memory" | "sqlite" | "postgres";

export function storeKind(url: string): StoreKind {
  if (url.startsWith("memory:")) return "memory";
  return url.startsWith("sqlite:") ? "sqlite" : "postgres";
}

/** Whether something that is stored is still there when the process has ended. */
export function outlivesProcess(url: string): boolean {
  return storeKind(url) !== "memory";
}

/** The file of an SQLite store; undefined for the other kinds. */
export function storeFile(url: string): string | undefined {
  return storeKind(url) === "sqlite" ? url.slice("sqlite:".length) : undefined;
}

// A password may contain an `@` that should have been encoded: what follows the last `@` is the host.
const userAndPassword = /^(postgres(?:ql)?:\/\/[^:@/]*:)(.*)(?=@)/is;
const secretName = /pass|secret|token|key/i;
const mask = "********";

/** The address without its passwords, to be shown to a person. An address that is not encoded well may lose more. */
export function maskedStoreUrl(url: string): string {
  return storeKind(url) === "postgres" ? withoutParameters(url).shown.replace(userAndPassword, `$1${mask}`) : url;
}

/** The passwords in an address, as written and decoded. */
export function storeSecrets(url: string): string[] {
  if (storeKind(url) !== "postgres") return [];
  const { shown, secrets } = withoutParameters(url);
  const written = [userAndPassword.exec(shown)?.[2] ?? "", ...secrets].filter((secret) => secret !== "");
  return [...new Set(written.flatMap((secret) => [secret, decoded(secret)]))];
}

/** The address with the values of parameters such as `password` masked, and those values. */
function withoutParameters(url: string): { shown: string; secrets: string[] } {
  const start = url.indexOf("?", Math.max(0, url.indexOf("@")));
  if (start < 0) return { shown: url, secrets: [] };
  const secrets: string[] = [];
  const parameters = url.slice(start + 1).split("&");
  const shown = parameters.map((parameter) => {
    const [name = ""] = parameter.split("=", 1);
    if (!secretName.test(name) || name === parameter) return parameter;
    secrets.push(parameter.slice(name.length + 1));
    return `${name}=${mask}`;
  });
  return { shown: `${url.slice(0, start)}?${shown.join("&")}`, secrets };
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
