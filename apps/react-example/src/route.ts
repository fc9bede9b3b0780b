import { useSyncExternalStore } from 'react';

/** The pages by their hash, with their titles. */
export const pages = { chat: 'Chat', tasks: 'Task list', form: 'Form' } as const;

export type PageName = keyof typeof pages;

export type Route = {
  page: PageName;
  /** The run that the page shows: `#/chat`, or `#/chat/second` for another one. */
  runId: string;
};

/** The page and the run in the address. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [name = '', run] = hash.replace(/^#\//, '').split('/');
  const page = name in pages ? (name as PageName) : 'chat';
  return { page, runId: run === undefined ? page : `${page}/${run}` };
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
}
