import { createRun, definePrompt, remotePrompt, viaRoute, type PromptDefinition } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createHub } from '../support/memory-route.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const greeting = (name: string) => definePrompt(name, (prompt) => prompt.$`Greet everybody.`);

/** Starts a prompt twice by route, and gives what the console says. */
async function said(definition: PromptDefinition<void>, mode = 'development'): Promise<string[]> {
  vi.stubEnv('NODE_ENV', mode);
  const info = vi.spyOn(console, 'info').mockReturnValue();
  const { fetch } = createHub(greeting(definition.name), { model: scriptedModel(['Hello!', 'Hello!']) });
  const run = createRun(definition, { executor: viaRoute('https://example.test/', { fetch }) });
  await run.start();
  await run.start();
  return info.mock.calls.map(([text]) => String(text));
}

test('a page with the whole definition of a routed prompt gets one warning in development', async () => {
  vi.stubGlobal('document', {});
  // the page has warned of no prompt of this name yet
  const name = `shipped-${crypto.randomUUID()}`;
  expect(await said(greeting(name))).toEqual([
    `Prompt "${name}" runs on a server, but this page imports its definition, so its system prompt and tools are in what every visitor downloads. Use import type, and remotePrompt<typeof …>('${name}') in its place.`,
  ]);
});

test('a page with a remotePrompt gets no hint', async () => {
  vi.stubGlobal('document', {});
  expect(await said(remotePrompt('named'))).toEqual([]);
});

test('a production build and a server that calls another get no warning', async () => {
  expect(await said(greeting('called'))).toEqual([]);
  vi.stubGlobal('document', {});
  expect(await said(greeting('built'), 'production')).toEqual([]);
});
