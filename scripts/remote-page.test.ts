import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { sourceConditions } from '../vite.config.ts';

/** Builds a page as an app would, and returns its JavaScript. */
async function buildPage(file: string): Promise<string> {
  const input = fileURLToPath(new URL(`../docs/examples/remote/${file}`, import.meta.url));
  const built = (await build({
    root: fileURLToPath(new URL('../docs', import.meta.url)),
    configFile: false,
    logLevel: 'silent',
    mode: 'production',
    resolve: { conditions: [...sourceConditions, 'module', 'browser', 'development|production'] },
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input, preserveEntrySignatures: 'strict' },
    },
  })) as Rolldown.RolldownOutput;
  return built.output.map((file) => (file.type === 'chunk' ? file.code : '')).join('\n');
}

const secrets = {
  'a sentence of the system prompt': 'You plan days for guests of a small hotel.',
  'what the prompt says': 'Plan a day in ',
  "a tool's description": 'Free tables in the restaurants that pay us',
  "a client tool's description": 'Asks the guest a question',
};

test('a page with a remotePrompt has its name and nothing else of it', { timeout: 120_000 }, async () => {
  const page = await buildPage('page.tsx');
  expect(page).toContain('plan-day');
  expect(page).toContain('/api/plan-day');
  for (const secret of Object.values(secrets)) expect(page).not.toContain(secret);
});

test('one that imports the definition has all of it', { timeout: 120_000 }, async () => {
  const page = await buildPage('prompts.ts');
  for (const secret of Object.values(secrets)) expect(page).toContain(secret);
});

const reactExample = {
  'a system prompt': 'You work at the desk of a small guesthouse.',
  "another's": 'You turn letters into bookings.',
  'what a prompt says': 'The Costa family arrives on Saturday.',
  "a tool's description": 'The booking of a guest, by first name',
};

test('the React example loads its prompts with the first run in the page', { timeout: 120_000 }, async () => {
  const root = fileURLToPath(new URL('../apps/react-example', import.meta.url));
  const { output } = (await build({
    root,
    configFile: `${root}/vite.config.ts`,
    logLevel: 'silent',
    mode: 'production',
    build: { write: false, minify: false },
  })) as Rolldown.RolldownOutput;
  const chunks = output.filter((file) => file.type === 'chunk');
  const atOnce = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  for (const name of atOnce) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) {
      atOnce.add(imported);
    }
  }
  const codeOf = (isLoaded: boolean): string =>
    chunks.flatMap(({ code, fileName }) => (atOnce.has(fileName) === isLoaded ? [code] : [])).join('\n');
  expect(codeOf(true)).toContain('guest-desk');
  for (const secret of Object.values(reactExample)) {
    expect(codeOf(true)).not.toContain(secret);
    expect(codeOf(false)).toContain(secret);
  }
});
