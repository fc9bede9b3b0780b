import { beforeEach, expect, test } from 'vitest';
import { startCpuTime } from '../../../../packages/core/test/support/cpu-time.ts';
import { newOpenScript } from '../../src/state/open-script.ts';
import { usePreview } from '../../src/state/preview.ts';
import { startRun, stopRun } from '../../src/state/run-session.ts';
import { watchScript } from '../../src/state/script-check.ts';
import {
  mayTakeInput,
  problemsOf,
  readScriptInput,
  showScriptReport,
  showInputIssues,
  takeScriptInput,
  useScriptInput,
} from '../../src/state/script-input.ts';
import { usePlayground } from '../../src/state/store.ts';
import { readStored } from '../../src/state/stored-settings.ts';

const script = "export default definePrompt('plan', (prompt, { city }) => {}, { input: schema });";
const report = (name = 'plan') => ({
  name,
  input: {
    kind: 'schema' as const,
    schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
});
const form = () => useScriptInput.getState();
/** Opens another script, as the page does. */
const openAnother = (): void => {
  usePlayground.setState({ openScript: newOpenScript('own') });
  showScriptReport(undefined);
};
const problems = () => Object.fromEntries(problemsOf(form()));

beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  useScriptInput.setState(useScriptInput.getInitialState(), true);
  usePreview.setState(usePreview.getInitialState(), true);
});

test.each([
  [script, true],
  ["export default definePrompt<{ city: string }>('plan', async (prompt, { city }) => {});", true],
  ['export default async function plan(prompt: Prompt, values: Values) {}', true],
  ["export default definePrompt('plan', (prompt) => { names.map((name, index) => index); });", false],
  ['export default (prompt) => {};', false],
  ['export default async function plan(prompt: Prompt) {}', false],
  ["export default definePrompt('plan', prompt => {});", false],
  ["export default namer.prompt('A café');", false],
  ['export default defineSession({ instructions: text });', false],
  ["export default library.definePrompt('plan@^1');", true],
  ["const plan = (prompt, city) => {};\nexport default definePrompt('plan', plan);", true],
  ['const plan = (prompt, city) => {};\nexport default plan;', true],
  ["export default defineAgent({ name: 'poet', instructions: 'You write poems.' });", true],
  ['', false],
])('%s may take input: %s', (text, may) => {
  expect(mayTakeInput(text)).toBe(may);
});

const long = 990_000;
test.each([
  `export default function${' '.repeat(long)}{}`,
  `export default definePrompt${' '.repeat(long)}`,
  `export default (${' '.repeat(long)}`,
  'export default definePrompt<'.repeat(35_000),
  'export default definePrompt(,'.repeat(34_000),
  `export default function ${'a'.repeat(long)}`,
])('a long script is read quickly: %#', (text) => {
  const cpuTime = startCpuTime();
  expect(mayTakeInput(text)).toBe(true);
  expect(cpuTime()).toBeLessThan(5_000);
});

test('an incomplete form does not start a run, and shows what is missing from then on', () => {
  showScriptReport(report());
  expect(problems()).toEqual({});
  expect(takeScriptInput(script)).toBeUndefined();
  expect(form()).toMatchObject({ refusals: 1, open: true });
  expect(problems()).toEqual({ 'input.city': 'Fill this in.' });
  form().setDraft({ city: 'Faro' }, 'input.city');
  expect(problems()).toEqual({});
  expect(takeScriptInput(script)).toEqual({ input: { city: 'Faro' } });
});

test('the last input of each script is kept, but not the input from a link', () => {
  showScriptReport(report());
  form().setDraft({ city: 'Faro' }, 'input.city');
  takeScriptInput(script);
  openAnother();
  showScriptReport(report('other'));
  expect(readScriptInput()).toBeUndefined();
  openAnother();
  showScriptReport(report());
  expect(readScriptInput()).toEqual({ input: { city: 'Faro' } });
  expect(readStored({ inputs: usePlayground.getState().inputs }).inputs).toEqual({ plan: { city: 'Faro' } });
  expect(readStored({ inputs: ['Faro'] })).toEqual({});
});

test('typed values stay while the schema is edited', () => {
  showScriptReport(report());
  form().setDraft({ city: 'Faro' }, 'input.city');
  const { input } = report();
  showScriptReport({ name: 'plan', input: { ...input, schema: { ...input.schema, title: 'Plan' } } });
  expect(readScriptInput()).toEqual({ input: { city: 'Faro' } });
});

test('a chosen option stays chosen when another one is added before it, and is chosen again when it comes back', () => {
  const choice = (...options: string[]) => {
    const schema = { type: 'object', properties: { priority: { enum: options } }, required: ['priority'] };
    showScriptReport({ name: 'plan', input: { kind: 'schema', schema } });
    return readScriptInput();
  };
  choice('low', 'high');
  form().setDraft({ priority: '1' }, 'input.priority');
  expect(choice('none', 'low', 'high')).toEqual({ input: { priority: 'high' } });
  expect(choice('none', 'low')).toBeUndefined();
  expect(choice('high', 'none', 'low')).toEqual({ input: { priority: 'high' } });
});

test('typed input that has not run stays when the prompt is renamed and when its text is cut and pasted', () => {
  showScriptReport(report());
  form().setDraft({ city: 'Faro' }, 'input.city');
  showScriptReport(report('plan-trip'));
  expect(readScriptInput()).toEqual({ input: { city: 'Faro' } });
  showScriptReport(undefined);
  showScriptReport(report('plan-trip'));
  expect(readScriptInput()).toEqual({ input: { city: 'Faro' } });
});

test('each script has its own typed input, which other scripts do not get', () => {
  const { openScript } = usePlayground.getState();
  showScriptReport(report());
  form().setDraft({ city: 'Faro' }, 'input.city');
  for (let others = 0; others < 19; others += 1) {
    openAnother();
    showScriptReport(report());
    expect(readScriptInput()).toBeUndefined();
    form().setDraft({ city: 'Porto' }, 'input.city');
  }
  const reopen = () => {
    openAnother();
    usePlayground.setState({ openScript });
    showScriptReport(report());
    return readScriptInput();
  };
  expect(reopen()).toEqual({ input: { city: 'Faro' } });
  openAnother();
  showScriptReport(report());
  form().setDraft({ city: 'Braga' }, 'input.city');
  expect(reopen(), 'the typed inputs are bounded').toBeUndefined();
});

test('another prompt in the same script begins with its last input if nothing of what was typed fits', () => {
  const other = {
    name: 'weather',
    input: { kind: 'schema' as const, schema: { type: 'object', properties: { place: { type: 'string' } } } },
  };
  usePlayground.setState({ inputs: { weather: { place: 'Oslo' } } });
  showScriptReport(report());
  form().setDraft({ city: 'Faro' }, 'input.city');
  showScriptReport(other);
  expect(readScriptInput()).toEqual({ input: { place: 'Oslo' } });
  showScriptReport(report());
  expect(readScriptInput()).toEqual({ input: { city: 'Faro' } });
});

test('an issue of the schema is shown at its field until the field is changed', () => {
  showScriptReport(report());
  form().setDraft({ city: 'X' }, 'input.city');
  showInputIssues([{ path: 'input.city', message: 'Too short' }]);
  expect(problems()).toEqual({ 'input.city': 'Too short.' });
  form().setDraft({ city: 'Xy' }, 'input.city');
  expect(problems()).toEqual({});
});

test('an issue of a value below a field is shown at that field', () => {
  const record = { type: 'object', additionalProperties: { type: 'number' } };
  const card = { type: 'object', properties: { kind: { const: 'card' }, number: { type: 'string' } } };
  const cash = { type: 'object', properties: { kind: { const: 'cash' } } };
  const properties = { extra: record, pay: { anyOf: [card, cash] } };
  showScriptReport({ name: 'plan', input: { kind: 'schema', schema: { type: 'object', properties } } });
  form().setDraft({ extra: '{"a":"x"}', pay: { variant: 0, value: { number: '1' } } }, 'input');
  showInputIssues([
    { path: 'input.extra.a', message: 'Not a number' },
    { path: 'input.extra.b[0]', message: 'Not a text' },
    { path: 'input.pay.number', message: 'Too short' },
    { path: 'input.other', message: 'Unknown' },
  ]);
  expect(problems()).toMatchObject({
    'input.extra': 'a: Not a number. b.0: Not a text.',
    'input.pay.number': 'Too short.',
    input: 'other: Unknown.',
  });
});

test('a script without input does not get the input of the script before it', () => {
  showScriptReport(report());
  form().setDraft({ city: 'Faro' }, 'input.city');
  expect(takeScriptInput('export default (prompt) => {};')).toEqual({ input: undefined });
});

test('a prompt without an input schema has one field of JSON, which says what the input is', () => {
  showScriptReport({ name: 'greet', input: { kind: 'no-schema' } });
  expect(form().field).toMatchObject({
    kind: 'json',
    title: 'Input as JSON',
    example: '{"name": "Ada"}',
    description: expect.stringContaining("definePrompt('greet', …, { input: z.object({ … }) })"),
  });
  // the prompt function may do without it
  expect(readScriptInput()).toEqual({ input: undefined });
  form().setDraft('Ada', 'input');
  expect(takeScriptInput(script)).toBeUndefined();
  expect(problems()).toEqual({ input: expect.stringContaining('as in {"name": "Ada"}.') });
  form().setDraft('{"name": "Ada"}', 'input');
  expect(takeScriptInput(script)).toEqual({ input: { name: 'Ada' } });
});

test('the form of a script is not that of the script before, which a link replaces', () => {
  usePlayground.getState().edit(script);
  showScriptReport(report());
  form().setDraft({ city: 'Faro' }, 'input.city');
  const stop = watchScript();
  usePlayground.getState().edit(`${script} // edited`);
  expect(form().field, 'an edit keeps it').toBeDefined();
  usePlayground.getState().replaceScript(script.replace('plan', 'foreign'), { origin: 'link' });
  stop();
  expect(form().field).toBeUndefined();
  expect(readScriptInput()).toEqual({ input: undefined });
});

test('a change of a field keeps the issue of another one whose name begins the same', () => {
  const text = { type: 'string' };
  const schema = { type: 'object', properties: { from: text, fromDate: text } };
  showScriptReport({ name: 'plan', input: { kind: 'schema', schema } });
  showInputIssues([
    { path: 'input.fromDate', message: 'Not a date' },
    { path: 'input.from.city', message: 'Too short' },
  ]);
  form().setDraft({ from: 'Faro' }, 'input.from');
  expect(problems()).toEqual({ 'input.fromDate': 'Not a date.' });
});

test('Run waits for the form of a script that is being checked, and takes what was typed for it', () => {
  const session = () => usePlayground.getState().session;
  usePlayground.getState().edit(script);
  showScriptReport(report());
  form().setDraft({ city: 'Faro' }, 'input.city');
  showScriptReport(undefined);
  usePreview.setState({ checking: true });
  startRun();
  startRun();
  expect(session()).toBeUndefined();
  showScriptReport(report());
  usePreview.setState({ checking: false });
  expect(session()?.input).toEqual({ city: 'Faro' });
  stopRun();
});

test.each([
  ['another script opens', () => usePlayground.getState().replaceScript('export default (prompt) => {};')],
  ['Stop is pressed', stopRun],
])('a Run that waits for a form does not start once %s', (_when, cancel) => {
  usePlayground.getState().edit(script);
  usePreview.setState({ checking: true });
  startRun();
  cancel();
  usePreview.setState({ checking: false });
  expect(usePlayground.getState().session).toBeUndefined();
});
