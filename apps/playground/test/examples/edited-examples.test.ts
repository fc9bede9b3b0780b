import * as core from '@cueline/core';
import { runPrompt, type PromptDefinition, type RunState } from '@cueline/core';
import * as agents from '@cueline/core/agents';
import * as plugins from '@cueline/core/plugins';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { startCpuTime } from '../../../../packages/core/test/support/cpu-time.ts';
import { examples } from '../../src/examples/index.ts';
import { scriptedAnswersFor } from '../../src/examples/scripted-answers-for.ts';
import { scriptedModelOf } from '../../src/model/scripted-model.ts';
import { compileScript } from '../../src/sandbox/index.ts';
import { answerAll } from '../sessions.ts';

const modules: Record<string, unknown> = {
  '@cueline/core': core,
  '@cueline/core/agents': agents,
  '@cueline/core/plugins': plugins,
  zod: z,
};

/** A run of an example after these replacements, with the playground's answers for the edited script. */
async function play(id: string, replacements: Record<string, string>): Promise<RunState> {
  let source = examples.find((example) => example.id === id)!.source;
  for (const [from, to] of Object.entries(replacements)) {
    expect(source).toContain(from);
    source = source.replaceAll(from, to);
  }
  const url = `data:text/javascript,${encodeURIComponent(compileScript(source).code)}`;
  const { default: evaluate } = (await import(/* @vite-ignore */ url)) as {
    default: (require: (name: string) => unknown, exports: object) => Promise<void>;
  };
  const exports: { default?: PromptDefinition } = {};
  await evaluate((name) => modules[name], exports);
  const { run } = await runPrompt(exports.default!, {
    model: scriptedModelOf(scriptedAnswersFor(source)!, { hurried: true }),
  });
  answerAll(run);
  return run.finished;
}

const calls = ({ toolCalls }: RunState): unknown[] =>
  toolCalls.map(({ toolName, input }) => [toolName, input]);

test('a value that is changed in the script changes in the answers, too', async () => {
  const state = await play('weather', { "'Lisbon'": "'Oslo'", 'celsius = 24': 'celsius = 5' });
  expect(state).toMatchObject({ status: 'done', warnings: [] });
  expect(calls(state)).toEqual([['getWeather', { city: 'Oslo', unit: 'celsius' }]]);
  expect(state.text).toMatch(/^It is \*\*5 °C and sunny\*\* in Oslo/);
});

test('an answer with a number that no tool has returned is not played: the rule-based model answers and warns once', async () => {
  const state = await play('weather', { 'celsius = 24;': 'celsius = Math.sqrt(49);' });
  expect(state).toMatchObject({ status: 'done', warnings: [expect.stringContaining('no scripted answer')] });
  expect(state.text).toContain('temperature');
  expect(state.text).toContain('7');
  expect(state.text).not.toContain('24');
});

test('a renamed tool gets its scripted call, and a tool with other arguments is called by the rule-based model', async () => {
  const renamed = await play('weather', { "'getWeather'": "'readSky'" });
  expect(calls(renamed)).toEqual([['readSky', { city: 'Lisbon', unit: 'celsius' }]]);
  expect(renamed).toMatchObject({ status: 'done', warnings: [] });
  const other = await play('weather', {
    'city: z.string': 'place: z.string',
    '{ city, unit }': '{ place: city, unit }',
  });
  expect(calls(other)).toEqual([['getWeather', { place: 'Lisbon', unit: 'celsius' }]]);
  expect(other.warnings).toHaveLength(1);
});

test.each(examples.map(({ id }) => id))('%s with an added comment plays as before', async (id) => {
  const [first = ''] = examples.find((example) => example.id === id)!.source.split('\n');
  const state = await play(id, { [first]: `// mine\n${first}` });
  expect(state).toMatchObject({ status: 'done', warnings: [] });
});

test('a script with few lines of an example has no scripted answers', () => {
  expect(
    scriptedAnswersFor("export default async (prompt) => { prompt.def('CITY', 'Lisbon'); };"),
  ).toBeUndefined();
});

test('a script with the lines of an example and a huge comment is not an edited example', () => {
  const { source } = examples[0]!;
  expect(scriptedAnswersFor(`${source}\n// edited`)).toBeDefined();
  expect(scriptedAnswersFor(`${source}\n// ${String.raw`\'`.repeat(20_000)}`)).toBeUndefined();
});

test('no value is looked for in a script that differs in more than 1,000 tokens', () => {
  const edited = examples[0]!.source.replaceAll("'Lisbon'", "'Oslo'");
  const textsFor = (script: string): string => JSON.stringify(scriptedAnswersFor(script));
  expect(textsFor(edited)).toContain('Oslo');
  expect(textsFor(`${edited}\n// ${'; '.repeat(2_000)}`)).not.toContain('Oslo');
});

test('checking the numbers of a scripted answer against a request with many digits in a row is fast', async () => {
  const model = scriptedModelOf([{ turn: 'It is 5.', checked: true }], { hurried: true });
  const content = [{ type: 'text' as const, text: '1'.repeat(300_000) }];
  const cpuTime = startCpuTime();
  await model.doGenerate({ prompt: [{ role: 'user', content }] });
  expect(cpuTime()).toBeLessThan(5_000);
});
