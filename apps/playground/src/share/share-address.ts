import { readShareAddress } from './share-store.ts';

/** Where this page keeps what is too long for a link, if its host has set that up. */
export const shareAddress: string | undefined = readShareAddress(
  document.querySelector<HTMLMetaElement>('meta[name=cueline-shares]')?.content,
  location.href,
);
