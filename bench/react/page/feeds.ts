/** What each delta says. */
export const deltaText = 'word';

/** How the deltas of an answer arrive. */
export type FeedName = 'macrotask' | 'packets' | 'burst';

/** Hands out `count` deltas, and says when the last one has gone. */
export type Feed = (count: number, delta: (text: string) => void, end: () => void) => void;

const PACKET_MS = 8;
const DELTAS_PER_SECOND = 2_000;

/** One delta per task of the event loop, with no wait between two: a fast model whose every delta is its own message. */
const macrotask: Feed = (count, delta, end) => {
  const channel = new MessageChannel();
  let sent = 0;
  channel.port1.addEventListener('message', () => {
    if (sent === count) return end();
    sent += 1;
    delta(deltaText);
    channel.port2.postMessage(null);
  });
  channel.port1.start();
  channel.port2.postMessage(null);
};

/** 2,000 deltas a second, as many at once as have come due in 8 ms: what a fast provider's network reads look like. */
const packets: Feed = (count, delta, end) => {
  const from = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(count, Math.floor(((performance.now() - from) * DELTAS_PER_SECOND) / 1_000));
    while (sent < due) {
      sent += 1;
      delta(deltaText);
    }
    if (sent < count) return;
    clearInterval(timer);
    end();
  }, PACKET_MS);
};

/** All at once, as a replay or a reconnection gives them. */
const burst: Feed = (count, delta, end) => {
  for (let sent = 0; sent < count; sent++) delta(deltaText);
  end();
};

export const feeds: Record<FeedName, Feed> = { macrotask, packets, burst };
