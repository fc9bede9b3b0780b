import { packagedPrompts } from '@cueline/core/library';
import { decodeLink, encodeLink } from '@cueline/core/link';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, expect, test } from 'vitest';
import { checkPrompts, expand, firstFaultOf, libraryOf, toInput } from '../../src/prompts/check-prompts.ts';
import {
  emptyPrompt,
  freeId,
  nextVersion,
  readEditablePrompts,
  toRecord,
  undeclaredNames,
  type EditableParameter,
} from '../../src/prompts/editable-prompt.ts';
import { ExpandedTexts } from '../../src/prompts/expanded-texts.tsx';
import { openPromptFile } from '../../src/prompts/open-prompt-file.ts';
import { readAllowedValues, writeAllowedValues } from '../../src/prompts/parameter-texts.ts';
import { changeSince } from '../../src/prompts/ran-prompt-note.tsx';
import { samplePrompts, sampleValues } from '../../src/prompts/sample-prompts.ts';
import {
  addParameter,
  editParameter,
  entryOf,
  removeParameter,
  sharedOf,
  usePrompts,
  valuesOf,
} from '../../src/prompts/store.ts';
import { readOwnShared, readShared, readStoredPrompts } from '../../src/prompts/stored-prompts.ts';
import { drawToasts } from '../../src/ui/toast.ts';

const initial = usePrompts.getState();
const state = () => usePrompts.getState();
beforeEach(() => usePrompts.setState(initial, true));

test('the sample prompts have no faults, and their sample values fit', () => {
  expect([...checkPrompts(samplePrompts)]).toEqual([]);
  for (const prompt of samplePrompts) {
    expect(expand(prompt, sampleValues[prompt.id] ?? {})).toHaveProperty('user');
  }
});

test('prompt files in every format that the library reads can be edited, and keep their content', () => {
  const seed = [
    {
      id: 'greet',
      version: '2.0.0',
      name: 'Greet',
      userPrompt: 'Greet {NAME} {TIMES} times.',
      userPromptsParameters: [
        { name: 'NAME', type: 'kString' },
        { name: 'TIMES', type: 'kNumber', defaultValue: 2 },
      ],
      metadata: { owner: 'travel' },
    },
  ];
  const read = readEditablePrompts(seed)!;
  expect(read[0]).toMatchObject({
    status: 'active',
    userPromptParameters: [
      { name: 'NAME', type: 'string' },
      { name: 'TIMES', type: 'number' },
    ],
  });
  expect([...checkPrompts(read)]).toEqual([]);
  expect(toRecord(read[0]!)).toEqual({
    id: 'greet',
    version: '2.0.0',
    name: 'Greet',
    status: 'active',
    userPrompt: 'Greet {NAME} {TIMES} times.',
    userPromptParameters: [
      { name: 'NAME', type: 'string' },
      { name: 'TIMES', type: 'number', defaultValue: 2 },
    ],
    metadata: { owner: 'travel' },
  });
  expect(readEditablePrompts({ $schema: 'prompts.schema.json', prompts: seed })).toHaveLength(1);
  expect(readEditablePrompts({ $schema: 'prompts.schema.json', ...seed[0] })).toHaveLength(1);
  expect(readEditablePrompts(packagedPrompts.map((prompt) => structuredClone(prompt)))).toHaveLength(
    packagedPrompts.length,
  );
});

test.each([
  null,
  7,
  'text',
  [],
  [null],
  [{ id: 'a' }],
  { prompts: 'none' },
  [{ id: 'a', version: '1.0.0', name: 'A', userPrompt: 'x', extra: 1 }],
  [{ id: 'a', version: '1.0.0', name: 'A', userPrompt: 'x'.repeat(200_001) }],
  Array.from({ length: 501 }, () => ({ id: 'a', version: '1.0.0', name: 'A', userPrompt: 'x' })),
])('refuses a value that is not a valid list of prompts (%#)', (value) => {
  expect(readEditablePrompts(value)).toBeUndefined();
  expect(readShared({ prompts: value })).toBeUndefined();
});

test.each<[unknown, string | undefined]>([
  [
    [{ ...toRecord(emptyPrompt('a')), temperature: 1 }],
    'prompts[0].temperature is unknown. Remove it, or move',
  ],
  [{ prompts: [toRecord(emptyPrompt('a')), { id: 'b' }] }, 'prompts[1].version is missing. Write a version'],
  [['https://example.com/prompts.json'], 'prompts[0] is not an object'],
  [[toRecord(emptyPrompt('a'))], undefined],
  [7, undefined],
])('a file that cannot be opened says where its first fault is (%#)', (content, fault) => {
  const found = firstFaultOf(content);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

test('a file says that the user’s own prompts are kept if there are any', async () => {
  const shown: unknown[] = [];
  drawToasts({
    message: (_: string, options: { description?: string }) => shown.push(options.description),
  } as never);
  const file = new File([JSON.stringify([emptyPrompt('of-a-file')])], 'prompts.json');
  await openPromptFile(file);
  usePrompts.setState(initial, true);
  state().edit({ name: 'Mine' });
  await openPromptFile(file);
  expect(shown).toEqual([undefined, 'Your own prompts are kept.']);
});

test('stored prompts may have any length', () => {
  const allowedValues = Array.from({ length: 1_001 }, (_, index) => `value ${index}`);
  const long = {
    ...emptyPrompt('long'),
    userPrompt: `${'x'.repeat(200_001)} {NAME}`,
    userPromptParameters: [{ name: 'NAME', type: 'enum', allowedValues }],
  };
  const content = { entries: [{ key: 'a', prompt: long }], selected: 'a', values: {} };
  const documents = [{ id: 'own', isOwn: true, content }];
  expect(readStoredPrompts({ documents, shown: 'own' })).toEqual({ documents, shown: 'own' });
  const kept = { prompts: [long], selected: 0, values: {} };
  expect([readOwnShared(kept), readShared(kept)]).toEqual([kept, undefined]);
});

test('each fault is at its field', () => {
  const faulty = {
    ...emptyPrompt('greet'),
    version: '1.0',
    userPromptParameters: [{ name: 'NAME', type: 'enum' as const }],
  };
  const faults = checkPrompts([samplePrompts[0]!, faulty]);
  expect([...faults.keys()]).toEqual([1]);
  expect(faults.get(1)!.map(({ path }) => path)).toContain('version');
  const corrected = { ...faulty, version: '1.0.0' };
  expect(
    checkPrompts([corrected])
      .get(0)!
      .map(({ path }) => path),
  ).toEqual(['userPromptParameters[0].allowedValues']);
  expect(libraryOf(faulty)).toBeUndefined();
  expect(expand(faulty, {})).toBeUndefined();
});

test('a repeated version is a fault of the second one', () => {
  const [one] = samplePrompts;
  expect(checkPrompts([one!, one!]).get(1)).toEqual([
    { path: 'version', message: 'is 1.0.0, which this prompt already has. Choose another' },
  ]);
});

test('values are checked by parameter; empty ones are not passed', () => {
  const answer = samplePrompts.find(({ id }) => id === 'answer-guest')!;
  const { prompt } = libraryOf(answer)!;
  expect(toInput(prompt, { HOTEL: 'Miramar', TONE: '', OTHER: 'x' })).toEqual({ HOTEL: 'Miramar' });
  const expansion = expand(answer, { HOTEL: 'Miramar', TONE: 'loud', SENTENCES: 'few' });
  expect([...(expansion as { problems: Map<string, string> }).problems]).toEqual([
    ['TONE', expect.stringContaining('Pass one of "warm", "formal", "brief"')],
    ['REVIEW', expect.stringContaining('is missing')],
    ['SENTENCES', expect.stringContaining('Pass a number')],
  ]);
  const texts = expand(answer, { HOTEL: 'Miramar', TONE: 'warm', REVIEW: '{HOTEL}', DISCOUNT: 'true' });
  expect(texts).toEqual({
    system: 'You answer reviews for Miramar. Your tone is warm. Sign as The reception.',
    user: 'Write at most 4 sentences to this guest. Offer a discount: true.\n\n{HOTEL}',
  });
});

test('names between braces that look like parameters can be declared', () => {
  expect(
    undeclaredNames('{CITY} {"json": 1} {city} {DAYS} {CITY}', [{ name: 'DAYS', type: 'number' }]),
  ).toEqual(['CITY']);
});

test('new ids and versions are unused ones', () => {
  expect(freeId('greet', ['greet', 'greet-2'])).toBe('greet-3');
  expect(nextVersion('1.2.3', ['1.2.3', '1.3.0'])).toBe('1.4.0');
  expect(nextVersion('next', [])).toBe('0.1.0');
});

test('a new version is a draft beside the old one, which stays unchanged', () => {
  const { prompt } = entryOf(state());
  state().addVersion();
  expect(entryOf(state()).prompt).toMatchObject({ id: prompt.id, version: '1.2.0', status: 'draft' });
  state().edit({ userPrompt: 'Other {TEXT}' });
  expect(state().entries.map((entry) => entry.prompt)).toContainEqual(prompt);
  expect(state().compared).toBeDefined();
});

test('values stay with a prompt whose id is edited', () => {
  state().setValue('TEXT', 'Mine');
  state().edit({ id: 'sort' });
  expect(state().values['sort']).toMatchObject({ TEXT: 'Mine' });
  state().edit({ id: 'sorted' });
  expect(valuesOf(state(), 'sorted')).toMatchObject({ TEXT: 'Mine' });
  expect(Object.hasOwn(state().values, 'sort'), 'no prompt has this id any more').toBe(false);
  expect(valuesOf(state(), 'classify-feedback'), 'another version has it').toMatchObject({ TEXT: 'Mine' });
});

test('a link has the values of its own prompts only', () => {
  state().setValue('TEXT', 'Private');
  state().replace({ prompts: [emptyPrompt('other')], selected: 0, values: { ...state().values, other: {} } });
  expect(sharedOf(state()).values).toEqual({ other: {} });
  expect(JSON.stringify(sharedOf(state()))).not.toContain('Private');
});

test('typed values are kept when a link opens, also one to the same prompts', () => {
  state().setValue('TEXT', 'Mine');
  const { prompts, selected, values } = sharedOf(state());
  const own = state().id;
  state().replace({ prompts: [emptyPrompt('other')], selected: 0, values: {} });
  state().restore();
  expect(valuesOf(state(), 'classify-feedback')).toMatchObject({ TEXT: 'Mine' });

  const theirs = { ...values, 'classify-feedback': { TEXT: 'Theirs' } };
  state().replace({ prompts, selected, values: theirs });
  expect(valuesOf(state(), 'classify-feedback')).toEqual({ TEXT: 'Theirs' });
  state().replace({ prompts, selected, values });
  expect([state().id, valuesOf(state(), 'classify-feedback')]).toEqual([own, values['classify-feedback']]);
  expect(values['classify-feedback']).toMatchObject({ TEXT: 'Mine' });
});

test('a prompt may have any id, also a name that every object has', () => {
  state().edit({ id: 'constructor' });
  expect(valuesOf(state(), 'constructor')).toEqual(sampleValues['classify-feedback']);
  expect(valuesOf(state(), 'toString')).toEqual({});
});

test('parameters are added, changed and removed', () => {
  addParameter('systemPromptParameters', 'HOTEL');
  editParameter('systemPromptParameters', 0, { type: 'number', defaultValue: 3 });
  expect(entryOf(state()).prompt.systemPromptParameters).toEqual([
    { name: 'HOTEL', type: 'number', defaultValue: 3 },
  ]);
  editParameter('systemPromptParameters', 0, { defaultValue: undefined });
  expect(entryOf(state()).prompt.systemPromptParameters).toEqual([{ name: 'HOTEL', type: 'number' }]);
  removeParameter('systemPromptParameters', 0);
  expect(entryOf(state()).prompt.systemPromptParameters).toEqual([]);
});

test.each<[string, EditableParameter['type'], EditableParameter['allowedValues'], string?]>([
  ['formal, casual', 'enum', ['formal', 'casual']],
  ['"Lisbon, Portugal", Faro', 'enum', ['Lisbon, Portugal', 'Faro']],
  [
    '"say ""hi", plain "quoted"',
    'enum',
    ['"say ""hi"', 'plain "quoted"'],
    '"\\"say \\"\\"hi\\"", plain "quoted"',
  ],
  ['"", " two "', 'string', ['', ' two ']],
  ['1, 2.5', 'number', [1, 2.5]],
  ['formal,, ', 'enum', ['formal'], 'formal'],
  ['"open, end', 'enum', ['"open', 'end'], '"\\"open", end'],
  [' , ', 'enum', undefined, ''],
])('the allowed values %s are read and written', (typed, type, values, written = typed) => {
  expect(readAllowedValues(typed, type)).toEqual(values);
  expect(writeAllowedValues(values)).toBe(written);
  expect(readAllowedValues(written, type)).toEqual(values);
});

test('a note says that a run is of another version or of earlier texts', () => {
  const prompt = samplePrompts[0]!;
  expect(changeSince(prompt, { ...prompt, status: 'deprecated', description: 'Other' })).toBeUndefined();
  expect(changeSince(prompt, { ...prompt, userPrompt: 'Other' })).toBe(
    'The prompt has changed since this run.',
  );
  expect(changeSince(prompt, samplePrompts[1]!)).toBe('This run is of classify-feedback 1.0.0.');
});

test('an id that is typed through the id of another prompt keeps the values of its own prompt', () => {
  const [other] = state().entries;
  const { id } = other!.prompt;
  const theirs = valuesOf(state(), id);
  const type = (text: string): void => {
    for (let end = 1; end <= text.length; end += 1) state().edit({ id: text.slice(0, end) });
  };
  state().addPrompt();
  state().setValue('NAME', 'mine');
  type(`${id}-mine`);
  expect(valuesOf(state(), `${id}-mine`)).toEqual({ NAME: 'mine' });
  expect(valuesOf(state(), id)).toEqual(theirs);
  type(id);
  type('greet');
  expect(valuesOf(state(), 'greet')).toEqual({ NAME: 'mine' });

  // a prompt without values does not take those of the other one, or give it its own
  state().addPrompt();
  type('greet-again');
  expect(valuesOf(state(), 'greet-again')).toEqual({});
  type('new-prompt');
  state().select(other!.key);
  state().setValue('NAME', 'theirs');
  type('new-prompt-too');
  expect(valuesOf(state(), 'new-prompt')).toEqual({});
});

test('the last version cannot be removed', () => {
  for (const { key } of state().entries) state().remove(key);
  expect(state().entries).toHaveLength(1);
});

test('a removed version can be put back where it was, also while other prompts are shown', () => {
  const { entries, selected } = state();
  const undo = state().remove(selected);
  state().replace({ prompts: [emptyPrompt('of-a-link')], selected: 0, values: {} });
  undo();
  expect(state().entries.map(({ prompt }) => prompt.id)).toEqual(['of-a-link']);
  state().restore();
  expect(state().entries).toEqual(entries);
  const undoAgain = state().remove(selected);
  undoAgain();
  expect(state()).toMatchObject({ entries, selected });
});

test('prompts of a link replace the user’s own prompts, which can be restored', () => {
  state().edit({ userPrompt: 'Mine {TEXT}' });
  const mine = sharedOf(state());
  const link = encodeLink({
    prompts: { prompts: [emptyPrompt('shared')], selected: 0, values: { shared: { NAME: 'Ada' } } },
  });
  expect(link).toMatch(/^#v1\.p\./);
  state().replace(readShared(decodeLink(link).prompts)!);
  expect(sharedOf(state())).toMatchObject({
    prompts: [{ id: 'shared' }],
    values: { shared: { NAME: 'Ada' } },
  });
  // a second link does not overwrite the user's prompts
  state().replace({ prompts: [emptyPrompt('other')], selected: 0, values: {} });
  state().restore();
  expect(sharedOf(state())).toEqual(mine);
  expect(state().previous).toEqual([]);
});

test('only prompts and values are read from a link', () => {
  expect(
    readShared({
      prompts: [emptyPrompt('a')],
      selected: 99,
      values: { a: { NAME: 'Ada', N: 7 }, b: 'none' },
      connection: { kind: 'openai' },
    }),
  ).toEqual({ prompts: [emptyPrompt('a')], selected: 0, values: { a: { NAME: 'Ada' } } });
});

test.each([{}, { defaultValue: 'x'.repeat(6_000) }])(
  'a value that makes a prompt of a link huge is a problem, not a text (%#)',
  (more) => {
    const userPrompt = '{A}'.repeat(66_000);
    const userPromptParameters = [{ name: 'A', type: 'string' as const, ...more }];
    const huge = { ...emptyPrompt('huge'), userPrompt, userPromptParameters };
    const { prompts, values } = readShared({
      prompts: [huge],
      values: 'defaultValue' in more ? {} : { huge: { A: 'x'.repeat(6_000) } },
    })!;
    expect(expand(prompts[0]!, values['huge'] ?? {})).toEqual({
      problems: new Map([
        [
          'A',
          'makes the prompt longer than 1,000,000 characters. Shorten its value, or name it less often in the prompt',
        ],
      ]),
    });
  },
);

test('the preview draws the beginning of a long text', () => {
  const user = 'x'.repeat(1_000_000);
  const html = renderToStaticMarkup(createElement(ExpandedTexts, { expansion: { system: '', user } }));
  expect(html).toContain('1,000,000 characters');
  expect(html).toContain('Show more (800,000 characters left)');
  expect(html.length).toBeLessThan(210_000);
});
