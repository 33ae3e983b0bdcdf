import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Addresses of this machine, of its network, and of nothing at all. */
const others = new BlockList();
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
  others.addSubnet(net, bits, "ipv4");
}
/** Of the newer kind only those that are given out to the world, without those that hold one of the older kind. */
const world = new BlockList();
world.addSubnet("2000::", 3, "ipv6");
others.addSubnet("2002::", 16, "ipv6");
others.addSubnet("2001::", 32, "ipv6");
others.addSubnet("2001:db8::", 32, "ipv6");

export const notPublic = "the address is not a public one";

export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !others.check(address, "ipv4");
    case 6:
      return world.check(address, "ipv6") && !others.check(address, "ipv6");
    default:
      return false;
  }
}

/** Looks a name up, and finds only what is allowed. The connection goes to what was found, so that no second look differs. */
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
