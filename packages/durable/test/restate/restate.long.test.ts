import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reduceAll, type RunState } from '@cueline/core';
import type { ReadEvents } from '@cueline/durable';
import { ensureRestate, howToGetRestate } from '../../../../scripts/restate.mjs';
import type { Request } from './process.ts';
import { freePort, startRestate, type TestRestate } from './server.ts';

const program = ensureRestate();
if (program === undefined) {
  process.stderr.write(
    `Skipped without a Restate server: the Restate driver. To run it, ${howToGetRestate}.\n`,
  );
}

describe.skipIf(program === undefined)('the Restate driver', { timeout: 120_000 }, () => {
  let restate: TestRestate;
  let port: number;
  let folder: string;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    restate = await startRestate(program!);
    port = await freePort();
  }, 120_000);
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cueline-durable-'));
    return async () => {
      await killWorker();
      rmSync(folder, { recursive: true, force: true });
    };
  });
  afterAll(() => restate.remove());

  const effects = (): string[] =>
    existsSync(join(folder, 'effects.txt'))
      ? readFileSync(join(folder, 'effects.txt'), 'utf8').split('\n')
      : [];

  /** Starts a process: one that works, or one that only sends commands and reads. */
  async function startWorker(mode: 'work' | 'answer' = 'work'): Promise<void> {
    child = fork(
      fileURLToPath(new URL('process.ts', import.meta.url)),
      [folder, restate.ingress, String(port), mode],
      { execArgv: ['--conditions=@cueline/source'], stdio: ['ignore', 'inherit', 'ignore', 'ipc'] },
    );
    await received(child);
    if (mode === 'work') await restate.register(`http://127.0.0.1:${port}`);
  }

  async function killWorker(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async function ask<Value>(request: Request): Promise<Value> {
    child!.send(request);
    return (await received(child!)) as Value;
  }

  async function startRun(runId: string, prompt: string): Promise<void> {
    await ask({ what: 'create', runId, start: { prompt } });
    await ask({ what: 'wake', runId });
  }

  async function stateOf(runId: string): Promise<RunState> {
    const { events } = await ask<ReadEvents>({ what: 'read', runId });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
    return reduceAll(events);
  }

  const status = (runId: string) => async (): Promise<string> => (await stateOf(runId)).status;
  const soon = { timeout: 30_000, interval: 50 };

  test('Restate has no call of a run that waits, whose approval is answered while no worker is up', async () => {
    await startWorker();
    await startRun('run-letter', 'sendLetter');
    await expect.poll(status('run-letter'), soon).toBe('waiting');
    await expect.poll(restate.calls, soon).toBe(0);
    await killWorker();
    await startWorker('answer');
    const [{ approvalId } = { approvalId: '' }] = (await stateOf('run-letter')).approvals;
    const command = { type: 'approval-response', approvalId, response: { approved: true } } as const;
    expect(await ask({ what: 'respond', runId: 'run-letter', command })).toEqual({ accepted: true });
    expect(await ask({ what: 'respond', runId: 'run-letter', command })).toEqual({ accepted: true });
    expect(effects()).not.toContain('send Ada');
    await killWorker();
    await startWorker();
    await expect.poll(status('run-letter'), soon).toBe('done');
    expect(effects().filter((each) => each === 'send Ada')).toHaveLength(1);
  });
});

async function received(child: ChildProcess): Promise<unknown> {
  const failed = new AbortController();
  const ended = once(child, 'exit', { signal: failed.signal }).then(() => {
    throw new Error('The worker ended.');
  });
  ended.catch(() => {});
  const [message] = (await Promise.race([once(child, 'message'), ended]).finally(() => failed.abort())) as [
    { value: unknown; error?: string },
  ];
  if (message.error !== undefined) throw new Error(message.error);
  return message.value;
}
