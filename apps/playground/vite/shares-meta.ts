import type { Plugin } from 'vite';

const empty = '<meta name="cueline-shares" content="" />';

/**
 * Where the page keeps what is too long for a link: a path of its own host, such as `/api/shares`, or an address.
 * Throws where it is neither, rather than build a page that shares nowhere.
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

/** Writes the address into index.html, where the page looks for it. */
export function sharesMeta(shares: string | undefined): Plugin {
  return {
    name: 'cueline:shares-meta',
    transformIndexHtml: (html) => {
      if (!html.includes(empty)) throw new Error(`index.html has no ${empty}.`);
      return shares === undefined ? html : html.replace(empty, empty.replace('""', `"${shares}"`));
    },
  };
}
