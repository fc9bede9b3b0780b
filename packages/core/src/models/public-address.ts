/** IPv4 networks that are not the public internet (IANA's special-purpose registry), as address and prefix length. */
const specialIPv4: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/**
 * True for an IP address of the public internet. False for private, loopback, link-local, shared, documentation,
 * multicast and reserved addresses, for IPv6 addresses that map to such an IPv4 address, and for anything that is not
 * an address.
 */
export function isPublicAddress(address: string): boolean {
  const ipv4 = readIPv4(address);
  if (ipv4 !== undefined) return isPublicIPv4(ipv4);
  const groups = readIPv6(address);
  if (groups === undefined) return false;
  const [first = 0, second = 0] = groups;
  const embedded = (groups[6] ?? 0) * 0x1_0000 + (groups[7] ?? 0);
  // NAT64, with which a network without IPv4 reaches it
  if (first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0)) {
    return isPublicIPv4(embedded);
  }
  // global unicast, without protocol assignments, Teredo, documentation and 6to4
  const isGlobal = first >> 13 === 1;
  const isSpecial =
    (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
    first === 0x2002 ||
    (first === 0x3fff && second < 0x1000);
  return isGlobal && !isSpecial;
}

function isPublicIPv4(address: number): boolean {
  return !specialIPv4.some(([network, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor(readIPv4(network)! / size);
  });
}

/**
 * Returns the address as a number; undefined for anything but four decimal numbers, the form of URLs and resolvers.
 */
function readIPv4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  const bytes = match?.slice(1).map(Number) ?? [];
  if (bytes.length !== 4 || bytes.some((byte) => byte > 255)) return undefined;
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** Returns the eight groups of an IPv6 address; undefined for anything else. */
function readIPv6(text: string): number[] | undefined {
  const [head = '', tail, ...more] = text.replace(/%.*$/, '').split('::');
  if (more.length > 0 || !text.includes(':')) return undefined;
  const before = readGroups(head);
  const after = tail === undefined ? [] : readGroups(tail);
  if (before === undefined || after === undefined) return undefined;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...before, ...Array.from({ length: missing }, () => 0), ...after];
}

function readGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  for (const [index, part] of text.split(':').entries()) {
    const ipv4 = index === text.split(':').length - 1 ? readIPv4(part) : undefined;
    if (ipv4 !== undefined) groups.push(Math.floor(ipv4 / 0x1_0000), ipv4 % 0x1_0000);
    else if (/^[\da-f]{1,4}$/i.test(part)) groups.push(parseInt(part, 16));
    else return undefined;
  }
  return groups;
}
