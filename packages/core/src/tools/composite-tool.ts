import { asSchema, jsonSchema, type JSONSchema7, type ToolSet } from 'ai';
import { invalidCallSource, thrownText, withSource } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { reportInDevelopment } from '../base/report-in-development.ts';
import { checkReady, namedTools } from './named-tools.ts';
import { needsApproval } from './needs-approval.ts';
import { readyRules, throwReported } from './ready-tool.ts';
import { rebaseSchema } from './rebase-schema.ts';
import { parseWith } from './schema.ts';
import { lastOutput } from './tool-callbacks.ts';
import { checkHeader, functionTool, splitOptions, type OwnToolDefinition } from './tool-definition.ts';
import { isToolList } from './tool-list.ts';
import type {
  SettlingRules,
  SubCallOutcome,
  SubCaller,
  ToolContext,
  ToolEffect,
  ToolOptions,
} from './tool-types.ts';
import type { NamedTool } from './tool.ts';

type SubTools = ReadonlyMap<string, Extract<OwnToolDefinition, { kind: 'function' }>>;

/** One call in the arguments of a composite tool. */
type SubCallInput = { name: string; args: unknown };

/** One result of a composite tool. */
type SubResult = { name: string } & SubCallOutcome;

/** The options of a composite tool. */
export type CompositeOptions = Pick<ToolOptions, 'repeatable' | 'loopGuard' | 'timeoutMs'>;

const optionNames: ReadonlySet<string> = new Set(['repeatable', 'loopGuard', 'timeoutMs']);

/**
 * Returns one tool that makes several calls in order. A call that fails, or that names an unknown tool, gets
 * its own `{ error }`, and the others still run.
 */
export function compositeTool(
  name: string,
  description: string,
  tools: readonly (NamedTool | ToolSet)[],
  options: CompositeOptions = {},
): OwnToolDefinition {
  checkHeader(name, description, undefined);
  checkOptions(name, options);
  const byName = new Map<string, Extract<OwnToolDefinition, { kind: 'function' }>>();
  if (!isToolList(tools)) {
    throw new CuelineError(
      'invalid_definition',
      `Tool ${name} takes what tool(…) returns: prompt.defTool('${name}', '…', [tool('read', '…', z.object({ … }), async (args) => …)]).`,
    );
  }
  for (const entry of namedTools(tools)) {
    if (byName.has(entry.name)) {
      throw new CuelineError(
        'invalid_definition',
        `Tool ${name} has two parts called ${entry.name}. Give one of them another name.`,
      );
    }
    const { ready } = entry;
    checkReady(entry.name, ready);
    const fn = entry.fn ?? ready?.execute;
    if (!('fn' in entry) && fn === undefined) {
      throw new CuelineError(
        'invalid_definition',
        `Tool ${name} has the part ${entry.name}, which has no function: its calls would run in the page. Make it a tool of its own: prompt.defTool('${entry.name}', …).`,
      );
    }
    byName.set(
      entry.name,
      functionTool(
        entry.name,
        entry.description,
        entry.schema,
        ready === undefined ? (fn as NonNullable<NamedTool['fn']>) : throwingReported(ready),
        ready === undefined ? entry.options : { effect: 'external', ...readyRules(ready) },
      ),
    );
  }
  if (byName.size === 0) {
    throw new CuelineError('invalid_definition', `Tool ${name} has no parts. Give it at least one tool(…).`);
  }
  const effect = strongest(byName);
  return {
    kind: 'composite',
    description: describe(description, byName),
    inputSchema: jsonSchema(() => callsSchema(byName)),
    rules: {
      ...splitOptions(name, options).rules,
      ...(effect === undefined ? {} : { effect }),
      ...(effect !== 'read' && [...byName.values()].every(mayRepeat) ? { idempotent: true } : {}),
      needsApproval: (args: unknown, asked: readonly ToolEffect[], context?: ToolContext) =>
        anyNeedsApproval(byName, args, asked, context!),
    },
    run: (args, context, makeSubCall) => runCalls(name, byName, args, context, makeSubCall),
  };
}

/** Returns the function of an AI SDK tool. It throws the error that a tool of an MCP server reports as its result. */
function throwingReported({ execute }: ToolSet[string]): NonNullable<NamedTool['fn']> {
  return async (args, context) => {
    const output = await lastOutput(execute!(args, context as never), context.abortSignal);
    throwReported(output);
    return output;
  };
}

function checkOptions(name: string, options: unknown): void {
  if (!isRecord(options)) {
    throw new CuelineError(
      'invalid_definition',
      `Tool ${name} is composed of tools, so after them it takes only options, such as { timeoutMs: 5000 }.`,
    );
  }
  const foreign = Object.keys(options).find((key) => !optionNames.has(key));
  if (foreign === undefined) return;
  throw new CuelineError(
    'invalid_definition',
    `Tool ${name} is composed of tools, so it cannot have ${foreign}, only repeatable, loopGuard and timeoutMs. Give ${foreign} to its parts: tool('read', '…', z.object({ … }), async (args) => …, { ${foreign}: … }).`,
  );
}

async function runCalls(
  composite: string,
  byName: SubTools,
  args: unknown,
  context: ToolContext,
  makeSubCall: SubCaller,
): Promise<{ results: SubResult[] }> {
  const results: SubResult[] = [];
  for (const { name, args: input } of requestedCalls(composite, args)) {
    const run = (own: ToolContext): unknown => runOne(composite, byName, name, input, own);
    results.push({ name, ...(await makeSubCall({ ...byName.get(name)?.rules, name, input, run }, context)) });
  }
  return { results };
}

async function runOne(
  composite: string,
  byName: SubTools,
  name: string,
  input: unknown,
  context: ToolContext,
): Promise<unknown> {
  const definition = byName.get(name);
  if (definition === undefined) {
    throw withSource(
      new Error(`${composite} has no tool "${name}". There are: ${[...byName.keys()].join(', ')}.`),
      'model',
    );
  }
  let args: unknown;
  try {
    args = await parseWith(definition.inputSchema, input);
  } catch (error) {
    const invalid = new Error(`Invalid arguments for ${name}: ${thrownText(error)}`, { cause: error });
    throw withSource(invalid, invalidCallSource(error));
  }
  try {
    return await lastOutput(definition.run(args, context), context.abortSignal);
  } catch (error) {
    if (context.abortSignal?.aborted !== true && !CuelineError.isInstance(error)) reportInDevelopment(error);
    throw error;
  }
}

function requestedCalls(composite: string, args: unknown): SubCallInput[] {
  const calls = readCalls(args);
  if (calls !== undefined) return calls;
  throw withSource(new Error(`${composite} takes { "calls": [{ "name": "…", "args": { … } }] }.`), 'model');
}

/** Returns the requested calls; undefined for anything but a list of calls. */
function readCalls(args: unknown): SubCallInput[] | undefined {
  const calls = (args as { calls?: unknown } | null)?.calls;
  if (!Array.isArray(calls) || !calls.every((call) => typeof call?.name === 'string')) return undefined;
  return (calls as Partial<SubCallInput>[]).map(({ name = '', args: input }) => ({
    name,
    args: input ?? {},
  }));
}

function describe(description: string, byName: SubTools): string {
  const lines = [...byName].map(([name, definition]) => `- ${name}: ${definition.description}`);
  return `${description}\n\nTakes a list of calls and makes them in order. What can be called:\n${lines.join('\n')}`;
}

async function callsSchema(byName: SubTools): Promise<JSONSchema7> {
  const variants = await Promise.all(
    [...byName].map(async ([name, { description, inputSchema }], index): Promise<JSONSchema7> => {
      const { $schema: _, ...own } = await asSchema(inputSchema).jsonSchema;
      const args = rebaseSchema(own, `#/properties/calls/items/anyOf/${index}/properties/args`);
      return {
        type: 'object',
        description,
        properties: { name: { type: 'string', const: name }, args },
        required: ['name', 'args'],
        additionalProperties: false,
      };
    }),
  );
  return {
    type: 'object',
    properties: { calls: { type: 'array', items: { anyOf: variants }, minItems: 1 } },
    required: ['calls'],
    additionalProperties: false,
  };
}

function strongest(byName: SubTools): ToolEffect | undefined {
  const effects = [...byName.values()].map(({ rules }) => rules.effect);
  if (effects.includes('external')) return 'external';
  if (effects.includes('write')) return 'write';
  return effects.every((effect) => effect === 'read') ? 'read' : undefined;
}

function mayRepeat({ rules: { effect, idempotent } }: { rules: SettlingRules }): boolean {
  return effect === 'read' || idempotent === true;
}

/** One approval covers all calls of a composite call; it is requested if any runnable call needs one. */
async function anyNeedsApproval(
  byName: SubTools,
  args: unknown,
  asked: readonly ToolEffect[],
  context: ToolContext,
): Promise<boolean> {
  for (const { name, args: input } of readCalls(args) ?? []) {
    const definition = byName.get(name);
    if (definition === undefined) continue;
    const read = await parseWith(definition.inputSchema, input).then(
      (value) => ({ value }),
      () => undefined,
    );
    if (read !== undefined && (await needsApproval(definition.rules, read.value, asked, context)))
      return true;
  }
  return false;
}
