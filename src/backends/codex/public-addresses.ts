import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Addresses of this machine and its network, and reserved addresses. */
const nonPublic = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  nonPublic.addSubnet(net, bits, "ipv4");
}
/** IPv6: only global unicast addresses, without those that embed an IPv4 address (6to4, Teredo) and those for documentation. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");
nonPublic.addSubnet("2002::", 16, "ipv6");
nonPublic.addSubnet("2001::", 32, "ipv6");
nonPublic.addSubnet("2001:db8::", 32, "ipv6");

export const notPublic = "the address is not a public one";

export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !nonPublic.check(address, "ipv4");
    case 6:
      return globalUnicast.check(address, "ipv6") && !nonPublic.check(address, "ipv6");
    default:
      return false;
  }
}

/** Resolves a name to allowed addresses only. The connection uses this result, so a second lookup cannot return another address. */
export function lookupAllowed(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, found) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error ? [] : addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (error) found(error, "", 0);
      else if (!first) found(new Error(notPublic), "", 0);
      else if (options.all) found(null, allowed);
      else found(null, first.address, first.family);
    });
  };
}
