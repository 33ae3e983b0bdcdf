import { describe, expect, it } from "vitest";
import { maskedStoreUrl, storeFile, storeKind, storeSecrets } from "../../src/config/index.ts";
import { mistakesIn, read } from "./reading.ts";

const day = 86_400_000;

describe("the store in a configuration", () => {
  it("is a file beside the configuration by default, which keeps things for 30 days", () => {
    expect(read("").store).toEqual({ url: "sqlite:/etc/toolwire/toolwire.db", keep: 30 * day, required: false });
  });

  it.each([
    ["sqlite:data/kept.db", "sqlite:/etc/toolwire/data/kept.db"],
    ["sqlite:/var/lib/kept.db", "sqlite:/var/lib/kept.db"],
    ["sqlite:///var/lib/kept.db", "sqlite:/var/lib/kept.db"],
    ["memory:", "memory:"],
    ["postgres://me@db/toolwire", "postgres://me@db/toolwire"],
    ["postgresql://db:5433/toolwire?sslmode=require", "postgresql://db:5433/toolwire?sslmode=require"],
  ])("may be %s", (written, url) => {
    expect(read(`store: { url: "${written}", keep: 1d, required: true }`).store).toEqual({
      url,
      keep: day,
      required: true,
    });
  });

  it("may be in the home folder", () => {
    expect(storeFile(read('store: { url: "sqlite:~/kept.db" }').store.url)).toMatch(/^\/(?!etc).*\/kept\.db$/);
  });

  it.each(["redis://r", "sqlite:", "sqlite::memory:", "sqlite://kept.db", "memory:x", "postgres://", "postgres://a b"])(
    "is refused if it is none of them: %s",
    (url) => {
      expect(mistakesIn(`store: { url: "${url}" }`)).toEqual([
        expect.stringMatching(/^store\.url: expected memory:, sqlite:PATH or postgres:\/\/…, found /),
      ]);
    },
  );

  it("is refused if its password would have to be encoded", () => {
    expect(mistakesIn('store: { url: "postgres://me:a#b@db/x" }')).toEqual([
      expect.stringMatching(/^store\.url: not a valid address; .* # as %23$/),
    ]);
    expect(read('store: { url: "postgres://me:a%23b@db/x" }').store.url).toBe("postgres://me:a%23b@db/x");
  });

  it("has a kind", () => {
    const urls = ["memory:", "sqlite:/a", "postgres://db", "postgresql://db"];
    expect(urls.map(storeKind)).toEqual(["memory", "sqlite", "postgres", "postgres"]);
    expect(urls.map(storeFile)).toEqual([undefined, "/a", undefined, undefined]);
  });
});

describe("the password of a store", () => {
  it.each([
    ["postgres://me:hunter2@db:5432/x", "postgres://me:********@db:5432/x"],
    ["postgresql://me:hunter2@db/x?sslmode=require", "postgresql://me:********@db/x?sslmode=require"],
    ["postgres://me:a@hunter2@db/x", "postgres://me:********@db/x"],
    ["postgres://me:a?hunter2@db/x", "postgres://me:********@db/x"],
    ["postgres://me:a/hunter2@db/x", "postgres://me:********@db/x"],
    ["postgres://db/x?user=me&password=hunter2", "postgres://db/x?user=me&password=********"],
    ["postgres://me@db/x?password=a@hunter2&host=h", "postgres://me@db/x?password=********&host=h"],
    ["postgres://me:p@db/x?sslpassword=hunter2", "postgres://me:********@db/x?sslpassword=********"],
    ["postgres://me@db/x", "postgres://me@db/x"],
    ["sqlite:/a:b@c", "sqlite:/a:b@c"],
  ])("is not shown: %s", (url, shown) => {
    expect(maskedStoreUrl(url)).toBe(shown);
  });

  it("is known to what redacts, as written and decoded", () => {
    expect(storeSecrets("postgres://me:hunter%402@db/x")).toEqual(["hunter%402", "hunter@2"]);
    expect(storeSecrets("postgres://me:one%@db/x?password=two")).toEqual(["one%", "two"]);
    expect(storeSecrets("postgres://me@db/x")).toEqual([]);
    expect(storeSecrets("sqlite:/a")).toEqual([]);
  });
});

describe("an address that other machines can reach", () => {
  const open = (store: string) => `listen: { host: 0.0.0.0 }\nstore: { url: "${store}" }`;

  it.each(["sqlite:kept.db", "postgres://db/x"])("needs no keys in the file if they may be in %s", (url) => {
    expect(mistakesIn(open(url))).toEqual([]);
  });

  it("needs keys in the file if the store cannot hold any", () => {
    expect(mistakesIn(open("memory:"))).toEqual([
      'listen.host: "0.0.0.0" can be reached from other machines, so keys are needed; set keys, or listen on 127.0.0.1',
    ]);
    expect(mistakesIn(`${open("memory:")}\nkeys: [secret]`)).toEqual([]);
  });
});
