import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHostCheck } from "../../src/guard/index.ts";

const check = createHostCheck(["gateway.lan", "Api.Example.com:8443", "192.168.1.5", "fd00::1", "[fd00::2]:8787"]);

describe("the Host of a request", () => {
  test.each([
    "localhost",
    "LocalHost:8787",
    "localhost.",
    "localhost.:80",
    "127.0.0.1",
    "127.0.0.1:1",
    "[::1]",
    "[::1]:65535",
    "gateway.lan",
    "GATEWAY.LAN.:1234",
    "api.example.com:8443",
    "192.168.1.5:8787",
    "[fd00::1]:8787",
    "[FD00::2]:8787",
  ])("%s is known", (host) => {
    expect(check.allows(host)).toBe(true);
  });

  test.each([
    "evil.com",
    "127.0.0.1.evil.com",
    "127.0.0.1.evil.com:8787",
    "localhost.evil.com",
    "evil.com:127.0.0.1",
    "evil.com#localhost",
    "localhost@evil.com",
    "localhost:80@evil.com",
    "evil.com, localhost",
    "localhost, evil.com",
    "localhost localhost",
    " localhost",
    "localhost\t",
    "localhost\u0000",
    "http://localhost",
    "localhost/",
    "localhost:",
    "localhost:80:90",
    "localhost:8o",
    "localhost:-1",
    "localhost:65536",
    "localhost:000080",
    "localhost..",
    ".localhost",
    ".",
    "",
    ":8787",
    "[::1",
    "::1",
    "[::1]evil",
    "[::1].",
    "[::1]:",
    "[]",
    "[::2]",
    "[0:0:0:0:0:0:0:1]",
    "0.0.0.0",
    "127.0.0.2",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "local\u212aost",
    "api.example.com",
    "api.example.com:8444",
    "sub.gateway.lan",
    "[fd00::2]",
  ])("%j is refused", (host) => {
    expect(check.allows(host)).toBe(false);
  });

  test("must be there, once", () => {
    expect(check.allows(undefined)).toBe(false);
    expect(check.allows([])).toBe(false);
    expect(check.allows(["localhost"])).toBe(true);
    expect(check.allows(["localhost", "localhost"])).toBe(false);
    expect(check.allows(["localhost", "evil.com"])).toBe(false);
  });

  test("letters that only look like ours do not count", () => {
    // The Kelvin sign becomes k in lower case.
    expect(createHostCheck(["kiosk.lan"]).allows("\u212aiosk.lan")).toBe(false);
  });

  test("nothing else is known, whatever is put before or after a known name", () => {
    const known = fc.constantFrom("localhost", "127.0.0.1", "[::1]", "gateway.lan");
    fc.assert(
      fc.property(known, fc.string({ unit: "binary", minLength: 1 }), fc.boolean(), (name, more, before) => {
        const host = before ? more + name : name + more;
        fc.pre(!/^\.?(?::\d{1,5})?$/.test(more));
        expect(check.allows(host)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 8 }), (host) => {
        expect(check.allows(host)).toBe(false);
      }),
    );
  });
});

test.each(["https://gateway.lan", "*", "*.lan", "", "a b", "gateway.lan:", "gateway.lan/x", "[fd00", "ä.lan", "a..b"])(
  "%j in the configuration is a mistake with a message",
  (host) => {
    expect(() => createHostCheck([host])).toThrow(/hosts: .* is not a host name/);
  },
);
