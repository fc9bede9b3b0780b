import { createId } from '../base/create-id.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { EditReply } from '../tasks/task-item.ts';
import type { TabChannel } from './tab-channel.ts';

/** What one tab may ask of the tab that works on the run. */
type TabRequest = { type: 'stop' } | { type: 'command'; command: RunCommand };

/** The requests of this tab to the tab that works on the run. */
export type TabRequests = {
  /** Sends a request. Resolves with undefined if the other tab does not answer. */
  send(request: TabRequest): Promise<EditReply | undefined>;
  /** Gives a request its reply. Ignores replies to other tabs. */
  answer(key: string, reply: EditReply): void;
};

/** How long a tab may take to answer before it counts as frozen, in milliseconds. */
const SILENT_MS = 5_000;

/** Sends requests over `channel` and waits for their replies. */
export function createTabRequests(channel: TabChannel): TabRequests {
  const waiting = new Map<string, (reply: EditReply) => void>();
  return {
    send(request) {
      const key = createId('say');
      return new Promise((resolve) => {
        const done = (reply?: EditReply): void => {
          clearTimeout(silent);
          waiting.delete(key);
          resolve(reply);
        };
        const silent = setTimeout(done, SILENT_MS);
        waiting.set(key, done);
        channel.post({ ...request, key });
      });
    },
    answer(key, reply) {
      waiting.get(key)?.(reply);
    },
  };
}
