import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { viaRoute, type Executor, type RunEvent, type TaskEdit } from '@cueline/core';
import type { PromptRouteOptions } from '@cueline/edge';
import { onTestFinished } from 'vitest';

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

/** A process of its own that serves the prompts of `instance.ts`, until the test is over. */
export async function startInstance(path: string, options: InstanceOptions = {}): Promise<Instance> {
  const file = fileURLToPath(new URL('instance.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    [
      '--conditions=@cueline/source',
      '--disable-warning=ExperimentalWarning',
      file,
      path,
      JSON.stringify(options),
    ],
    // its input is a pipe that ends with this process
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const closed = once(child, 'close');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    closed.then(() => Promise.reject(new Error('The instance ended before it listened.'))),
  ])) as [string];
  const freeze = (): void => void child.kill('SIGSTOP');
  const thaw = (): void => void child.kill('SIGCONT');
  return { url, kill, freeze, thaw };
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
      const { pathname, search } = new URL(request.url);
      const { method, headers, signal } = request;
      const body = method === 'POST' ? await request.text() : null;
      try {
        const response = await fetch(new URL(pathname + search, url), { method, headers, body, signal });
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
