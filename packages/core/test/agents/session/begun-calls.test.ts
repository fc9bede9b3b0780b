import { createRun } from '@cueline/core';
import { defineSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { codeOf } from '../../support/runs.ts';

test.each([
  ['tool-start', 'It may have taken effect'],
  ['tool-end', 'sent to all'],
] as const)(
  'a session that was cut off after its %s and is retried does not repeat the call',
  async (last, read) => {
    let calls = 0;
    const model = scriptedModel([[{ toolCall: { name: 'send', input: {}, id: 'call-1' } }]]);
    const execute = (): string => {
      calls += 1;
      return 'sent to all';
    };
    const session = defineSession('mail', {
      systemPrompt: 'Send it.',
      tools: { send: { description: 'Sends', inputSchema: z.object({}), execute } },
    });
    const first = createRun(session, { model });
    // the script ends after the call
    expect(await codeOf(first.start())).toBe('invalid_options');
    const log = first.log();
    const next = scriptedModel([[{ throw: 'Enough.' }]]);
    const cut = log.findIndex(({ type }) => type === last);
    const again = createRun(session, { model: next, log: log.slice(0, cut + 1) });
    await codeOf(again.retry());
    expect(calls).toBe(1);
    expect(JSON.stringify(next.calls[0]?.prompt)).toContain(read);
  },
);
