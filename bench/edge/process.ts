import { fork } from 'node:child_process';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** What a process of the bench has used so far. */
export type Usage = {
  /** Microseconds of all its threads. */
  cpu: number;
  /** Bytes in use, its garbage collected where that was asked for. */
  heap: number;
  /** Bytes that the system has given it. */
  rss: number;
};

/** A process that serves, and says what that costs it. */
export type ServingProcess = Disposable & {
  url: string;
  usage(options?: { collect: boolean }): Promise<Usage>;
};

/** Starts one of the files beside this one, with these words as its arguments, and waits until it serves. */
export async function startProcess(file: string, ...args: string[]): Promise<ServingProcess> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args);
  const answer = <Answer>(): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const failed = (code: unknown): void => reject(new Error(`${file} ended with ${String(code)}.`));
      child.once('exit', failed);
      child.once('message', (message) => {
        child.off('exit', failed);
        resolve(message as Answer);
      });
    });
  const url = await answer<string>();
  return {
    url,
    usage: ({ collect } = { collect: false }) => {
      child.send({ collect });
      return answer<Usage>();
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** In a process of the bench: tells where it serves, and from then on what it has used whenever it is asked. */
export function answerBench(url: string): void {
  process.on('message', ({ collect }: { collect: boolean }) => {
    void (async () => {
      if (collect) {
        // what was let go of is freed by finalizers, too, which come after the collector
        for (let time = 0; time < 4; time++) {
          globalThis.gc?.();
          await setTimeout(20);
        }
      }
      const { user, system } = process.cpuUsage();
      const { heapUsed, external, rss } = process.memoryUsage();
      process.send?.({ cpu: user + system, heap: heapUsed + external, rss } satisfies Usage);
    })();
  });
  process.on('disconnect', () => process.exit());
  process.send?.(url);
}
