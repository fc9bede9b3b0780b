import { Script } from 'node:vm';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as core from '@cueline/core';
import * as z from 'zod';
import { readMessage } from '../../src/sandbox/host/read-message.ts';
import { encodeMessage, type ToHost } from '../../src/sandbox/protocol.ts';
import { compileScript } from '../../src/sandbox/script/compile-script.ts';
import type { DefinitionLine } from '../../src/sandbox/script/definition.ts';
import { agentsModule, coreModule } from '../../src/sandbox/worker/core-module.ts';
import { locateInStack } from '../../src/sandbox/worker/locate-error.ts';
import { createDefinitionReporter } from '../../src/sandbox/worker/report-definitions.ts';
import { watchDefinition } from '../../src/sandbox/worker/watch-definition.ts';

const ADDRESS = 'blob:script';

/** Runs a script as the worker does. Returns the lines that the page receives, and the state at the end. */
export async function runScript(
  source: string,
  model: LanguageModelV4,
  onRun: (run: core.RunHandle) => void = () => {},
): Promise<{ lines: DefinitionLine[]; state: core.RunState }> {
  const { code, locate } = compileScript(source);
  const lines: DefinitionLine[] = [];
  const send = (sent: ToHost): void => {
    const message = readMessage(encodeMessage(sent));
    if (message?.type !== 'definition') return;
    const { of, name, agent, at } = message;
    lines.push({ of, name, ...(agent === undefined ? {} : { agent }), line: locate(at).line });
  };
  const watcher = {
    definitions: createDefinitionReporter((error) => locateInStack(error, ADDRESS), send),
    settle: async () => {},
    onError: () => {},
  };
  const agents = agentsModule(model, watcher);
  const modules: Record<string, unknown> = {
    zod: z,
    '@cueline/core': { ...agents, ...coreModule(model, watcher) },
    '@cueline/core/agents': agents,
  };
  const exports: Record<string, unknown> = {};
  const text = `(${code.replace('export default ', '')})`;
  const evaluate = new Script(text, { filename: ADDRESS }).runInThisContext() as (
    require: (name: string) => unknown,
    exports: object,
  ) => Promise<void>;
  await evaluate((name) => modules[name], exports);
  const definition = exports['default'] as core.PromptDefinition<unknown>;
  const { run } = await core.runPrompt(watchDefinition(definition, watcher), { model, input: undefined });
  onRun(run);
  return { lines, state: await run.finished };
}

/** A definition in one line: `12 tool researcher: search`, with the last of its lines if there are several. */
export function describeLine({
  of,
  name,
  agent,
  line,
  lastLine = line,
}: DefinitionLine & { lastLine?: number }): string {
  const lines = lastLine === line ? line : `${line}-${lastLine}`;
  return `${lines} ${of} ${agent === undefined ? '' : `${agent}: `}${name}`;
}
