import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { viaRoute, type Executor, type RunEvent, type TaskEdit } from '@cueline/core';
import type { PromptRouteOptions } from '@cueline/edge';
import { afterAll, onTestFinished } from 'vitest';
import type { TestRedis } from './server.ts';

export type Instance = {
  readonly url: string;
  /** Ends it at once, as the machine's end would. */
  kill(): Promise<void>;
  /** Has it do nothing at all, until it is thawed. */
  freeze(): void;
  thaw(): void;
};

/** Options of an instance's route that are plain JSON. */
export type InstanceOptions = Pick<PromptRouteOptions, 'limits'> & {
  edits?: TaskEdit['type'][];
  approvals?: 'yes-no' | 'edit';
};

export type StartInstance = (options?: InstanceOptions) => Promise<Instance>;

/**
 * For the tests of a `describe`: starts instances, each in a process of its own, until the test is over. A process that
 * a test has passed with then serves the next one, because most of the time that an instance takes is its start.
 */
export function instancesWith({ path }: TestRedis): StartInstance {
  const idle: InstanceProcess[] = [];
  afterAll(async () => void (await Promise.all(idle.map((child) => child.kill()))));
  return async (options = {}) => {
    const child = idle.pop() ?? startProcess(path);
    onTestFinished(async ({ task }) => {
      child.thaw(); // a test may leave it frozen
      if (child.isAlive() && task.result?.state === 'pass') idle.push(child);
      else await child.kill();
    });
    const { kill, freeze, thaw } = child;
    return { url: await child.serve(options), kill, freeze, thaw };
  };
}

type InstanceProcess = Omit<Instance, 'url'> & {
  isAlive(): boolean;
  /** Returns the address of a new route. */
  serve(options: InstanceOptions): Promise<string>;
};

function startProcess(path: string): InstanceProcess {
  const file = fileURLToPath(new URL('instance.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--conditions=@cueline/source', '--disable-warning=ExperimentalWarning', file, path],
    // its input is a pipe that ends with this process
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout);
  return {
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async serve(options) {
      child.stdin.write(`${JSON.stringify(options)}\n`);
      const [url] = (await Promise.race([
        once(lines, 'line'),
        closed.then(() => Promise.reject(new Error('The instance ended before it listened.'))),
      ])) as [string];
      return url;
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

export type TestClient = Required<Pick<Executor, 'start' | 'send'>> & {
  attach(runId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** The requests to each instance, and their outcomes. */
  readonly asked: { url: string; method: string; status: number | 'lost' }[];
};

/** The real client of the instances: asks the first one until that is lost, and then the next. */
export function clientOf(subject: string, ...instances: readonly Instance[]): TestClient {
  const asked: TestClient['asked'] = [];
  let current = 0;
  const executor = viaRoute('https://app.example/api/run', {
    headers: { authorization: `Bearer ${subject}` },
    retryDelay: () => 20,
    retries: 200,
    async fetch(request) {
      const { url } = instances[current % instances.length]!;
      const { search } = new URL(request.url);
      const { method, headers, signal } = request;
      const body = method === 'POST' ? await request.text() : null;
      try {
        const response = await fetch(`${url}${search}`, { method, headers, body, signal });
        asked.push({ url, method, status: response.status });
        return response;
      } catch (error) {
        if (!signal.aborted) {
          asked.push({ url, method, status: 'lost' });
          current += 1;
        }
        throw error;
      }
    },
  });
  return { ...(executor as Omit<TestClient, 'asked'>), asked };
}
