/**
 * The network of an IP address, which is counted as one caller. IPv6 addresses count by their /48: a site is given as much,
 * and many providers give as much to each customer, who would be somebody else with each address. undefined for what is no
 * address: with a port, in a list, or a name.
 */
export function networkOf(address: string): string | undefined {
  if (isIPv4(address)) return address;
  // an address that holds on one link only may have the link's name behind it
  const url = `http://[${address.replace(/%[\w.~-]+$/, '')}]`;
  if (!/^http:\/\/\[[\da-f:.]+\]$/i.test(url) || !URL.canParse(url)) return undefined;
  const written = new URL(url).hostname.slice(1, -1);
  // IPv4-mapped IPv6 addresses count as their IPv4 address
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(written) ?? [];
  if (high !== undefined && low !== undefined) {
    const [front, back] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
    return [front >> 8, front & 255, back >> 8, back & 255].join('.');
  }
  const [head = '', tail] = written.split('::');
  const [first, last] = [head, tail ?? ''].map((side) => (side === '' ? [] : side.split(':')));
  const zeros = Array.from({ length: 8 - first!.length - last!.length }, () => '0');
  return `${[...first!, ...zeros, ...last!].slice(0, 3).join(':')}::/48`;
}

/** Without zeros in front, which some read as octal: one address would be written in two ways. */
function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
}
