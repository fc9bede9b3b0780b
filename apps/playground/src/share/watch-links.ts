import { usePlayground } from '../state/store.ts';

/** True if the address has a link to open. */
export function hasLink(): boolean {
  return location.hash.length > 1;
}

/**
 * Opens the link in the address bar, now and whenever one is pasted there. The code that reads links is
 * loaded with the first one, because most visits have none. Resolves once the link in the address bar was
 * read; `opened` then resolves to false if there is no link, or if it was refused.
 */
export async function watchLinks(): Promise<{ opened: Promise<boolean> }> {
  if (hasLink()) return follow({ isLoading: true });
  addEventListener('hashchange', () => void follow({ isLoading: false }), { once: true });
  return { opened: Promise.resolve(false) };
}

async function follow(page: { isLoading: boolean }): Promise<{ opened: Promise<boolean> }> {
  try {
    const { followLinks } = await import('./open-link.ts');
    return followLinks(page);
  } catch {
    const message = 'The code that opens links could not be loaded. Reload the page.';
    usePlayground.setState({ notice: { kind: 'refused', message }, tab: 'editor' });
    return { opened: Promise.resolve(false) };
  }
}
