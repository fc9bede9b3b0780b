import { viaRoute } from '@cueline/core';
import { proxied } from '@cueline/core/models';
import { createRunRegistry, type PromptProviderProps } from '@cueline/react';
import { indexedDbStorage, type IndexedDbStorage } from '@cueline/react/indexeddb';
import { useSyncExternalStore } from 'react';
import { inPage } from './in-page.ts';
import { pageServer } from './page-server.ts';

/** The places where runs can happen, as the address (`?where=route`) and the reader know them. */
export const places = {
  page: 'in this page',
  proxied: 'in this page, model by proxy',
  route: 'on the server',
} as const;

export type Place = keyof typeof places;

const { url, model } = pageServer ?? { url: '/api', model: '' };

// #region places
/** All that is different: prompts, tools and components are the same wherever a run happens. */
const providers: Record<Place, () => PromptProviderProps> = {
  page: () => ({ model: 'demo:guesthouse', executor: inPage({ providers: { demo: loadDemo } }) }),
  proxied: () => ({ model, executor: inPage(proxied(`${url}/models`)) }),
  route: () => ({ executor: viaRoute(`${url}/prompts`) }),
};
// #endregion

/** What stands in for a model answers each prompt by rules of its own. They are loaded with the first run, too. */
async function loadDemo() {
  const { simulatedModel } = await import('./demo/simulated-model.ts');
  return simulatedModel;
}

/** What the provider of a place is given. */
type Setup = PromptProviderProps & { persist: IndexedDbStorage };

const setups = new Map<Place, Setup>();

/** The same setup each time, so that what is under way in one place goes on while another is shown. */
export function setupOf(place: Place): Setup {
  let setup = setups.get(place);
  if (setup === undefined) {
    // a database each: what has begun in one place cannot be taken up in another
    const databaseName = `cueline-react-example${place === 'page' ? '' : `-${place}`}`;
    const persist = indexedDbStorage({ databaseName });
    setup = { ...providers[place](), registry: createRunRegistry(), persist };
    setups.set(place, setup);
  }
  return setup;
}

/** Where the address says that runs happen. It names a place and never an address, so no link leads elsewhere. */
export function usePlace(): Place {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const name = new URLSearchParams(search).get('where') ?? '';
  return pageServer !== undefined && Object.hasOwn(places, name) ? (name as Place) : 'page';
}

/** Goes to another place, and to the same page there. */
export function goTo(place: Place): void {
  const query = place === 'page' ? '' : `?where=${place}`;
  history.pushState(null, '', `${location.pathname}${query}${location.hash}`);
  dispatchEvent(new PopStateEvent('popstate'));
}

function subscribe(onChange: () => void): () => void {
  addEventListener('popstate', onChange);
  return () => removeEventListener('popstate', onChange);
}
