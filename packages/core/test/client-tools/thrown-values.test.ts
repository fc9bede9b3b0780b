import { createRun } from '@cueline/core';
import { expect, test } from 'vitest';
import { throwing } from '../support.ts';
import { atOnce } from '../support/runs.ts';
import { thrown } from '../support/thrown.ts';
import { prompt, setUp } from './files.ts';

const noReason = 'The function in the page failed without a reason.';

test.for([...thrown, ['an error with no words', () => new Error(''), ''] as const])(
  '%s that the function of a client tool throws becomes the error of the call',
  async ([_name, make, text]) => {
    const { executor } = setUp();
    const fail = throwing(make());
    const run = createRun(prompt(), { executor, schedule: atOnce, tools: { pickFile: fail } });
    expect(await run.start()).toBe('Thanks.');
    const [{ response } = {}] = run.getState().clientToolCalls;
    // what is neither an error, an object nor a text is named in a sentence
    expect([text || noReason, `The function in the page threw ${text}.`]).toContain(
      (response as { error: string }).error,
    );
  },
);
