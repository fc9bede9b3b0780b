import { viaRoute } from '@cueline/core';
import { proxied } from '@cueline/core/models';
import { createRunRegistry, type PromptProviderProps } from '@cueline/react';
import { indexedDbStorage, type IndexedDbStorage } from '@cueline/react/indexeddb';
import { useSyncExternalStore } from 'react';
import { inPage } from './in-page.ts';
import { pageServer } from './page-server.ts';

/** The places where runs can happen, by their name in the address (`?where=route`), with their labels. */
export const places = {
  page: 'in this page',
  proxied: 'in this page, model by proxy',
  route: 'on the server',
} as const;

export type Place = keyof typeof places;

const { url, model } = pageServer ?? { url: '/api', model: '' };

// #region places
/** The only difference: prompts, tools and components are the same wherever a run happens. */
const providers: Record<Place, () => PromptProviderProps> = {
  page: () => ({ model: 'demo:guesthouse', executor: inPage({ providers: { demo: loadDemo } }) }),
  proxied: () => ({ model, executor: inPage(proxied(`${url}/models`)) }),
  route: () => ({ executor: viaRoute(`${url}/prompts`) }),
};
// #endregion

/** The simulated model answers each prompt by rules of its own, which load with the first run, too. */
async function loadDemo() {
  const { simulatedModel } = await import('./demo/simulated-model.ts');
  return simulatedModel;
}

/** The provider's props for a place. */
type Setup = PromptProviderProps & { persist: IndexedDbStorage };

const setups = new Map<Place, Setup>();

/** The same setup each time, so that runs in one place continue while another is shown. */
export function setupOf(place: Place): Setup {
  let setup = setups.get(place);
  if (setup === undefined) {
    // a database for each: a run of one place cannot be continued in another
    const databaseName = `cueline-react-example${place === 'page' ? '' : `-${place}`}`;
    const persist = indexedDbStorage({ databaseName });
    setup = { ...providers[place](), registry: createRunRegistry(), persist };
    setups.set(place, setup);
  }
  return setup;
}

/** The place in the address. It is a name and never a URL, so no link leads elsewhere. */
export function usePlace(): Place {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const name = new URLSearchParams(search).get('where') ?? '';
  return pageServer !== undefined && Object.hasOwn(places, name) ? (name as Place) : 'page';
}

/** Goes to the same page in another place. */
export function goTo(place: Place): void {
  const query = place === 'page' ? '' : `?where=${place}`;
  history.pushState(null, '', `${location.pathname}${query}${location.hash}`);
  dispatchEvent(new PopStateEvent('popstate'));
}

function subscribe(onChange: () => void): () => void {
  addEventListener('popstate', onChange);
  return () => removeEventListener('popstate', onChange);
}
