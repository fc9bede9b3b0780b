import { expect, test } from 'vitest';
import { agentScripts } from '../support/agent-scripts.ts';
import { stateOf } from '../support/durable-runs.ts';
import { killAfterWrites } from '../support/killed-advances.ts';

test.each(agentScripts)(
  'a call whose process crashes after any write continues with the same requests: $name',
  async ({ make, turns, input, check }) => {
    const whole = await killAfterWrites(make, turns, 1, input);
    check?.(whole);
    expect(stateOf(whole).status).toBe('done');
  },
  120_000,
);
