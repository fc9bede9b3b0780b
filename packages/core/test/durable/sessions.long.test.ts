import { expect, test } from 'vitest';
import { stateOf } from '../support/durable-runs.ts';
import { killAfterWrites } from '../support/killed-advances.ts';
import { sessionScripts } from '../support/session-scripts.ts';

test.each(sessionScripts)(
  'a session whose process crashes after any write continues with the same requests: $name',
  async ({ make, turns, check }) => {
    const whole = await killAfterWrites(make, turns, 1);
    check?.(whole);
    expect(stateOf(whole).status).toBe('done');
  },
  120_000,
);
