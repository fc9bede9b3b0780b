import type { RedisClient, RedisSubscriber } from './client.ts';

/** Notifications that something was written, without its content. */
export type Subscriptions = {
  /**
   * Calls `wake` when something may have been written, and whenever listening begins (again), because earlier
   * notifications were missed. Returns a function that ends it.
   */
  listen(channel: string, wake: () => void): () => void;
};

/** How long the connection stays open without listeners, in milliseconds, so that a finished process can end. */
const LINGER_MS = 1_000;
const RETRY_MS = 1_000;

/** Listens to any number of channels over one connection, which is open as long as there are listeners. */
export function createSubscriptions(client: RedisClient): Subscriptions {
  const wakers = new Map<string, Set<() => void>>();
  let connection: { subscriber: RedisSubscriber; connected: Promise<unknown> } | undefined;
  let lingering: ReturnType<typeof setTimeout> | undefined;

  function wake(channel: string): void {
    for (const one of wakers.get(channel) ?? []) one();
  }

  // always the same function, because subscribing twice with it counts once
  const onMessage = (_message: string, channel: string): void => wake(channel);

  function connect(): NonNullable<typeof connection> {
    const subscriber = client.duplicate();
    // the client reconnects by itself, and subscribes to the same channels
    subscriber.on('error', () => {});
    subscriber.on('ready', () => {
      for (const channel of wakers.keys()) wake(channel);
    });
    const own = { subscriber, connected: subscriber.connect() };
    const startAgain = (): void => {
      if (connection !== own) return;
      connection = undefined;
      setTimeout(() => {
        for (const channel of wakers.keys()) void subscribe(channel);
      }, RETRY_MS);
    };
    // if the client was configured not to reconnect
    subscriber.on('end', startAgain);
    own.connected.catch(startAgain);
    return (connection = own);
  }

  async function subscribe(channel: string): Promise<void> {
    const { subscriber, connected } = connection ?? connect();
    try {
      await connected;
      if (!wakers.has(channel)) return;
      await subscriber.subscribe(channel, onMessage);
      if (wakers.has(channel)) wake(channel);
      else await subscriber.unsubscribe(channel);
    } catch {
      // readers also look at intervals, and their own requests report the failure
    }
  }

  function disconnect(): void {
    const last = connection;
    connection = undefined;
    // this throws if it was never connected
    last?.connected.then(() => last.subscriber.destroy()).catch(() => {});
  }

  return {
    listen(channel, listener) {
      clearTimeout(lingering);
      const listeners = wakers.get(channel) ?? new Set();
      wakers.set(channel, listeners.add(listener));
      if (listeners.size === 1) void subscribe(channel);
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return;
        wakers.delete(channel);
        connection?.subscriber.unsubscribe(channel).catch(() => {});
        if (wakers.size === 0) lingering = setTimeout(disconnect, LINGER_MS);
      };
    },
  };
}
