/** A message from one tab to the others about what it has changed. */
export type HistoryMessage = { readonly kind: 'script'; readonly id: string } | { readonly kind: 'runs' };

const NAME = 'cueline:history';

let channel: BroadcastChannel | undefined;

/** Sends a change to the other tabs. */
export function notifyTabs(message: HistoryMessage): void {
  openChannel()?.postMessage(message);
}

/** Calls `listener` for each change of another tab, until the returned function is called. */
export function watchTabs(listener: (message: HistoryMessage) => void): () => void {
  const opened = openChannel();
  const onMessage = ({ data }: MessageEvent<unknown>): void => {
    const { kind, id } = (data ?? {}) as { kind?: unknown; id?: unknown };
    if (kind === 'script' && typeof id === 'string') listener({ kind, id });
    if (kind === 'runs') listener({ kind });
  };
  opened?.addEventListener('message', onMessage);
  return () => opened?.removeEventListener('message', onMessage);
}

function openChannel(): BroadcastChannel | undefined {
  if (channel === undefined && typeof BroadcastChannel === 'function') {
    channel = new BroadcastChannel(NAME);
    // in Node, an open channel keeps the process alive
    (channel as { unref?: () => void }).unref?.();
  }
  return channel;
}
