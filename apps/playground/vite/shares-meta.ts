import type { Plugin } from 'vite';

const empty = '<meta name="cueline-shares" content="" />';

/**
 * The address of the page's share store: a path of its own host, such as `/api/shares`, or an origin. Throws
 * for anything else, so that no page is built without a working store.
 */
export function readShares(given: string | undefined): string | undefined {
  const shares = given?.trim() ?? '';
  if (shares === '') return undefined;
  if (/^(\/[\w.~-]+)+$/.test(shares)) return shares;
  if (/^https?:\/\/[^"'<>;,\s@?#]+$/.test(shares) && URL.canParse(shares)) return shares;
  throw new Error(
    `CUELINE_SHARES is "${shares}". Write a path such as /api/shares, or an address such as https://play.example/api/shares.`,
  );
}

/** Writes the address into index.html, where the page reads it. */
export function sharesMeta(shares: string | undefined): Plugin {
  return {
    name: 'cueline:shares-meta',
    transformIndexHtml: (html) => {
      if (!html.includes(empty)) throw new Error(`index.html has no ${empty}.`);
      return shares === undefined ? html : html.replace(empty, empty.replace('""', `"${shares}"`));
    },
  };
}
