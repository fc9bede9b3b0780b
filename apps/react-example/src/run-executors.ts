import { viaRoute } from '@cueline/core';
import { proxied } from '@cueline/core/models';
import { createRunRegistry, type PromptProviderProps } from '@cueline/react';
import { indexedDbStorage, type IndexedDbStorage } from '@cueline/react/indexeddb';
import { useSyncExternalStore } from 'react';
import { inPageExecutor } from './in-page-executor.ts';
import { pageServer } from './page-server.ts';

/** Where runs can happen: the names of the executors in the address (`?where=route`), with their labels. */
export const executorNames = {
  page: 'in this page',
  proxied: 'in this page, model by proxy',
  route: 'on the server',
} as const;

export type ExecutorName = keyof typeof executorNames;

const { url, model } = pageServer ?? { url: '/api', model: '' };

// #region executors
/** The only difference: prompts, tools and components are the same wherever a run happens. */
const providers: Record<ExecutorName, () => PromptProviderProps> = {
  page: () => ({ model: 'demo:guesthouse', executor: inPageExecutor({ providers: { demo: loadDemo } }) }),
  proxied: () => ({ model, executor: inPageExecutor(proxied(`${url}/models`)) }),
  route: () => ({ executor: viaRoute(`${url}/prompts`) }),
};
// #endregion

/** The simulated model answers each prompt by rules of its own, which load with the first run, too. */
async function loadDemo() {
  const { simulatedModel } = await import('./demo/simulated-model.ts');
  return simulatedModel;
}

/** The provider's props for an executor, and the storage of its runs. */
type Setup = PromptProviderProps & { persist: IndexedDbStorage };

const setups = new Map<ExecutorName, Setup>();

/** The same setup each time, so that the runs of one executor continue while those of another are shown. */
export function setupOf(executor: ExecutorName): Setup {
  let setup = setups.get(executor);
  if (setup === undefined) {
    // a database for each: no other executor can continue its runs
    const databaseName = `cueline-react-example${executor === 'page' ? '' : `-${executor}`}`;
    const persist = indexedDbStorage({ databaseName });
    setup = { ...providers[executor](), registry: createRunRegistry(), persist };
    setups.set(executor, setup);
  }
  return setup;
}

/** The name of the executor in the address. It is never a URL, so no link leads elsewhere. */
export function useExecutorName(): ExecutorName {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const name = new URLSearchParams(search).get('where') ?? '';
  return pageServer !== undefined && Object.hasOwn(executorNames, name) ? (name as ExecutorName) : 'page';
}

/** Goes to the same page with another executor. */
export function goTo(executor: ExecutorName): void {
  const query = executor === 'page' ? '' : `?where=${executor}`;
  history.pushState(null, '', `${location.pathname}${query}${location.hash}`);
  dispatchEvent(new PopStateEvent('popstate'));
}

function subscribe(onChange: () => void): () => void {
  addEventListener('popstate', onChange);
  return () => removeEventListener('popstate', onChange);
}
