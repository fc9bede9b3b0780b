/** How the deltas of an answer arrive. */
export type FeedName = 'macrotask' | 'packets' | 'burst';

/** Delivers the pieces of an answer, and calls `end` after the last one. */
export type Feed = (pieces: readonly string[], delta: (piece: string) => void, end: () => void) => void;

const PACKET_MS = 8;
const DELTAS_PER_SECOND = 2_000;

/**
 * One delta per task of the event loop, with no wait between two: a fast model whose every delta is its own message.
 */
const macrotask: Feed = (pieces, delta, end) => {
  const channel = new MessageChannel();
  let sent = 0;
  channel.port1.addEventListener('message', () => {
    const piece = pieces[sent];
    if (piece === undefined) {
      channel.port1.close();
      return end();
    }
    sent += 1;
    delta(piece);
    channel.port2.postMessage(null);
  });
  channel.port1.start();
  channel.port2.postMessage(null);
};

/** 2,000 deltas a second, in groups of 8 ms, like the network reads of a fast provider. */
const packets: Feed = (pieces, delta, end) => {
  const from = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - from) * DELTAS_PER_SECOND) / 1_000);
    for (const piece of pieces.slice(sent, due)) delta(piece);
    sent = Math.max(sent, due);
    if (sent < pieces.length) return;
    clearInterval(timer);
    end();
  }, PACKET_MS);
};

/** All at once, as in a replay or after a reconnection. */
const burst: Feed = (pieces, delta, end) => {
  for (const piece of pieces) delta(piece);
  end();
};

export const feeds: Record<FeedName, Feed> = { macrotask, packets, burst };
