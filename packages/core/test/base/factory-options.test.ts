import { createRun, definePrompt, viaRoute, type RunEvent } from '@cueline/core';
import { caseFromRun, compareWithBaseline } from '@cueline/core/evals';
import { createPromptLibrary } from '@cueline/core/library';
import { proxied } from '@cueline/core/models';
import { memory } from '@cueline/core/plugins';
import { replay } from '@cueline/core/replay';
import { toEventStream, toServerSentEvents } from '@cueline/core/server';
import { createCassette, scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';

const greet = definePrompt('greet', (prompt) => prompt.$`Hi.`);

async function recorded(): Promise<readonly RunEvent[]> {
  const run = createRun(greet, { model: scriptedModel(['Hello.']) });
  await run.start();
  return run.log();
}

async function* none(): AsyncGenerator<never> {}

type Wrong = Record<string, never>;

test.each<[string, (wrong: Wrong) => unknown, string]>([
  [
    'viaRoute',
    (wrong) => createRun(greet, { executor: viaRoute('https://example.test/', wrong) }).start(),
    'retrys',
  ],
  ['replay', async (wrong) => replay(await recorded(), wrong), 'spead'],
  ['proxied', (wrong) => proxied('https://example.test/', wrong), 'header'],
  ['scriptedModel', (wrong) => scriptedModel([], wrong), 'delays'],
  ['createCassette', (wrong) => createCassette(wrong), 'modes'],
  ['memory', (wrong) => memory(wrong), 'stor'],
  ['caseFromRun', async (wrong) => caseFromRun(await recorded(), wrong), 'tag'],
  ['compareWithBaseline', (wrong) => compareWithBaseline({} as never, {} as never, wrong), 'signficance'],
  ['toEventStream', (wrong) => toEventStream(none(), wrong), 'heartbeat'],
  ['toServerSentEvents', (wrong) => toServerSentEvents(none(), () => '', wrong), 'heartbeat'],
  ['createPromptLibrary', (wrong) => createPromptLibrary('[]', wrong), 'signl'],
])('%s refuses an option that it does not have', async (name, make, option) => {
  const made = (async () => make({ [option]: 1 as never }))();
  await expect(made).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining(`${name} has no "${option}". Did you mean `),
  });
});
