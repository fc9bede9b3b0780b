/**
 * Returns the network of an IP address, which counts as one requester. IPv6 addresses count by their /48, the size of
 * a site. Many providers assign as much to each customer, who could otherwise appear as a new requester with each
 * address. Undefined for anything but an address: with a port, a list, or a name.
 */
export function networkOf(address: string): string | undefined {
  if (isIPv4(address)) return address;
  // a link-local address may end with the link's name
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

/**
 * True for an IPv4 address without leading zeros, which some parsers read as octal: one address would have two forms.
 */
function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
}
