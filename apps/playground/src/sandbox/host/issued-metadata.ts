/** Knows which provider metadata the page has given to its workers. */
export type IssuedMetadata = {
  /** Records the metadata of a part before it is sent. */
  add(part: object): void;
  /** True if `options` is exactly metadata of this provider that was given out. */
  has(provider: string, options: unknown): boolean;
};

const entryLimit = 10_000;

/**
 * Records the metadata of the answers that a sandbox's runs received. A provider's metadata comes back to it as
 * provider options in the next step or turn: without it Google refuses tool calls, and reasoning is lost. All other
 * provider options come from the script. The conversation proves nothing, because scripts write it.
 */
export function createIssuedMetadata(): IssuedMetadata {
  const known = new Set<string>();
  return {
    add(part) {
      if (!('providerMetadata' in part) || typeof part.providerMetadata !== 'object') return;
      for (const [provider, options] of Object.entries(part.providerMetadata ?? {})) {
        known.add(keyOf(provider, options));
      }
      for (const oldest of known) {
        if (known.size <= entryLimit) break;
        known.delete(oldest);
      }
    },
    has: (provider, options) => known.has(keyOf(provider, options)),
  };
}

function keyOf(provider: string, options: unknown): string {
  return `${provider} ${JSON.stringify(options)}`;
}
