// What a plugin returns are methods of prompt, however they were written.
import { definePlugin, type Prompt } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play } from '../support.ts';

class Base {
  protected readonly terms: string[] = [];
  constructor(protected readonly prompt: Prompt) {}
  defTerm(term: string): void {
    this.terms.push(term);
    this.prompt.def('TERMS', this.terms.join(' '));
  }
}

class Glossary extends Base {
  readonly title = 'Words';
  readonly #secret = 'hidden';
  get secret(): string {
    return this.#secret;
  }
  defTwo(one: string, two: string): void {
    this.defTerm(one);
    this.defTerm(two);
  }
}

const glossary = definePlugin({ name: 'glossary', setup: (prompt) => new Glossary(prompt) });

test('methods of a class and of its base class are added', async () => {
  const { run } = await play(
    {
      kind: 'prompt',
      name: 'words',
      plugins: [glossary],
      run(prompt) {
        const { title, secret, defTerm, defTwo } = prompt as Prompt & Glossary;
        defTerm('a');
        defTwo('b', 'c');
        prompt.$`${title} ${secret}`;
      },
    },
    ['Done.'],
  );
  expect(run.getState().variables).toMatchObject({ TERMS: { value: 'a b c' } });
  expect(run.getState().steps[0]!.request.messages).toEqual([{ role: 'user', content: 'Words hidden' }]);
});

test('methods of an object are added, and can call each other', async () => {
  const plugin = definePlugin({
    name: 'greeting',
    setup: (prompt) => ({
      words: 'Hello',
      greet(name: string) {
        prompt.$`${this.words} ${name}.`;
      },
    }),
  });
  const { run } = await play(
    {
      kind: 'prompt',
      name: 'greet',
      plugins: [plugin],
      run: (prompt) => (prompt as Prompt & { greet(name: string): void }).greet('Ada'),
    },
    ['Done.'],
  );
  expect(run.getState().steps[0]!.request.messages).toEqual([{ role: 'user', content: 'Hello Ada.' }]);
});

test('methods that every object has are not added', async () => {
  const bare = definePlugin({
    name: 'bare',
    setup: () => Object.assign(Object.create(null), { one: 1 }) as object,
  });
  const { run } = await play(
    {
      kind: 'prompt',
      name: 'bare',
      plugins: [bare, definePlugin({ name: 'empty', setup: () => ({}) })],
      run: (prompt) => prompt.$`${(prompt as unknown as { one: number }).one}`,
    },
    ['Done.'],
  );
  expect(run.getState().status).toBe('done');
});

test('a method with the name of a prompt method is refused', async () => {
  const clash = definePlugin({
    name: 'clash',
    setup: () =>
      new (class {
        defTool(): void {}
      })(),
  });
  await expect(
    play({ kind: 'prompt', name: 'x', plugins: [clash], run: (prompt) => prompt.$`Go.` }, []),
  ).rejects.toThrow(
    'Plugin "clash" has a method defTool, but prompt.defTool already exists. Give it another name.',
  );
});

test('while an async method works for a task, the prompt itself defines for the whole run', async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const late = definePlugin({
    name: 'late',
    setup: ({ def, defTool }) => ({
      async slow() {
        await gate;
        def('OWN', '1');
        defTool('own', '', z.object({}), () => 'own');
      },
    }),
  });
  type Late = Prompt & { slow(): Promise<void> };
  let slow: Promise<void> | undefined;
  const { state, model } = await play(
    {
      kind: 'prompt',
      name: 'late',
      plugins: [late],
      run(prompt) {
        prompt.defTaskList([
          { task: 'One', extend: (own) => void (slow = (own as Late).slow()) },
          { task: 'Two' },
        ]);
        prompt.defTool('look', '', z.object({}), async () => {
          prompt.def('ALL', '1');
          prompt.defTool('all', '', z.object({}), () => 'all');
          open();
          await slow;
        });
        prompt.$`Go.`;
      },
    },
    [[call('look')], [call('finishTask', { result: '1' })], [call('finishTask', { result: '2' })], 'Done.'],
  );
  expect(state.status).toBe('done');
  expect(state.variables).toMatchObject({ ALL: { value: '1' } });
  expect(state.variables).not.toHaveProperty('OWN');
  const names = model.calls.map(({ tools = [] }) =>
    tools.map(({ name }) => name).filter((name) => name === 'own' || name === 'all'),
  );
  expect(names).toEqual([[], ['all', 'own'], ['all'], ['all']]);
});

test('while an async method works for a task, a method of the prompt itself defines for the whole run', async () => {
  const notes = definePlugin({
    name: 'notes',
    setup: (prompt) => ({
      note: (name: string) => void prompt.def(name, '1'),
      async noteLater(name: string) {
        await Promise.resolve();
        prompt.def(name, '1');
      },
    }),
  });
  type Notes = Prompt & { note(name: string): void; noteLater(name: string): Promise<void> };
  const { state, model } = await play(
    {
      kind: 'prompt',
      name: 'notes',
      plugins: [notes],
      run(prompt) {
        prompt.defTaskList([
          {
            task: 'One',
            async extend(own) {
              const later = (own as Notes).noteLater('OWN');
              (prompt as Notes).note('ALL');
              await later;
            },
          },
          { task: 'Two' },
        ]);
        prompt.$`Go.`;
      },
    },
    [[call('finishTask', { result: '1' })], [call('finishTask', { result: '2' })], 'Done.'],
  );
  expect(Object.keys(state.variables)).toEqual(['ALL']);
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain('<OWN>');
});

test('a method of the prompt that several plugins replace defines for a task, too', async () => {
  const counted: string[] = [];
  const counts = (name: string) =>
    definePlugin({
      name,
      setup(prompt) {
        const { def } = prompt;
        prompt.def = (variable, text) => {
          counted.push(`${name} ${variable}`);
          return def(variable, text);
        };
      },
    });
  const { state, model } = await play(
    {
      kind: 'prompt',
      name: 'counted',
      plugins: [counts('a'), counts('b')],
      run(prompt) {
        prompt.defTaskList([{ task: 'One', extend: (own) => void own.def('OWN', '1') }]);
        prompt.def('ALL', '1');
        prompt.$`Go.`;
      },
    },
    [[call('finishTask', { result: '1' })], 'Done.'],
  );
  expect(counted).toEqual(['b ALL', 'a ALL', 'b OWN', 'a OWN']);
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain('<OWN>');
  expect(Object.keys(state.variables)).toEqual(['ALL']);
});

test('a misspelt name in a plugin is refused when a prompt uses the plugin', async () => {
  const misspelt = definePlugin({ name: 'notes', setup: () => ({}), setUp: () => ({}) } as never);
  const prompt = go(() => {});
  await expect(play(prompt, ['Done.'], { options: { plugins: [misspelt] } })).rejects.toMatchObject({
    code: 'invalid_definition',
    message: 'Plugin "notes" has no "setUp". Did you mean setup?',
  });
});
