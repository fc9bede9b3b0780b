import { fork } from 'node:child_process';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The resources that a process of the bench has used so far. */
export type Usage = {
  /** CPU time of all its threads, in microseconds. */
  cpu: number;
  /** Bytes in use, after a garbage collection if one was requested. */
  heap: number;
  /** Resident memory, in bytes. */
  rss: number;
};

/** A server process that reports its resource usage. */
export type ServingProcess = Disposable & {
  url: string;
  usage(options?: { collect: boolean }): Promise<Usage>;
};

/** Starts a file of this folder with these arguments, and waits until it serves. */
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

/** Runs in a process of the bench. Reports its address, and then its usage whenever the parent requests it. */
export function answerBench(url: string): void {
  process.on('message', ({ collect }: { collect: boolean }) => {
    void (async () => {
      if (collect) {
        // finalizers, which run after the collector, also free memory
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
