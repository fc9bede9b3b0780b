import { expect, test } from 'vitest';
import { runProcess } from './run-attack.ts';
import type { SmallPieces } from './small-pieces-process.ts';

test('bytes that arrive one by one take as much memory as in one piece', async () => {
  const { body, event } = await runProcess<SmallPieces>('small-pieces-process.ts', [], 512);
  // a few times the 0.3 MB of the bytes
  expect(body).toBeLessThan(5);
  expect(event).toBeLessThan(5);
}, 60_000);
