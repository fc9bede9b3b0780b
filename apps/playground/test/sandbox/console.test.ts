import { expect, onTestFinished, test, vi } from 'vitest';
import { CONSOLE_LINES } from '../../src/sandbox/limits.ts';
import type { ToHost } from '../../src/sandbox/protocol.ts';
import { relayConsole } from '../../src/sandbox/worker/console.ts';

test('the page gets the first lines that a script writes to its console, each cut at its limit', () => {
  onTestFinished(() => void vi.restoreAllMocks());
  for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
  const sent: ToHost[] = [];
  relayConsole((message) => sent.push(message));
  const { warn, log } = globalThis.console;
  warn('a', { b: [1] }, new Error('no'), undefined);
  log('x'.repeat(3_000));
  for (let line = 2; line <= CONSOLE_LINES; line++) log(line);
  expect(sent).toHaveLength(CONSOLE_LINES);
  expect(sent[0]).toEqual({ type: 'console', level: 'warn', text: 'a {"b":[1]} Error: no undefined' });
  expect(sent[1]).toMatchObject({ text: 'x'.repeat(2_000) });
  expect(sent.at(-1)).toEqual({ type: 'console', level: 'log', text: `${CONSOLE_LINES - 1}` });
});
