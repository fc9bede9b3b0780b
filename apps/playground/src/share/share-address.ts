import { readShareAddress } from './share-store.ts';

/** The address of the page's share store, if its host has set one up. */
export const shareAddress: string | undefined = readShareAddress(
  document.querySelector<HTMLMetaElement>('meta[name=cueline-shares]')?.content,
  location.href,
);
