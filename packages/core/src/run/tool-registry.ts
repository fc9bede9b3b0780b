import { getErrorMessage } from '@ai-sdk/provider';
import { tool, type FlexibleSchema, type ToolSet } from 'ai';
import type { CuelineError } from '../errors.ts';
import { redact } from '../models/redact.ts';
import { isStreaming, lastOutput } from '../prompt/tool-callbacks.ts';
import type { SubCallListener, ToolContext, ToolDefinition, ToolRules } from '../prompt/tool-definition.ts';
import { toModelOutput, type ToolResultOutput } from '../prompt/tool-output.ts';
import { approvedArguments, isRefusal } from './approve.ts';
import { capOutput } from './cap-output.ts';
import { budgetExceeded } from './limits.ts';
import { createLoopGuard } from './loop-guard.ts';
import type { Recorder } from './recorder.ts';
import { toJson } from './to-json.ts';
import type { Speaker } from './tree.ts';
import { timeLimit, untilAborted } from './until-aborted.ts';

/** The tools of one speaker, as the AI SDK takes them. */
export type ToolRegistry = {
  /** One object for the whole run: the AI SDK keeps a reference to it and filters it anew at every step. */
  readonly tools: ToolSet;
  /**
   * Makes `tools` hold what is defined now. Called between two steps, so that no call loses its tool. `taskId` is the
   * task that the next step is about, if any: the same call for another task is no repetition.
   */
  update(definitions: ReadonlyMap<string, ToolDefinition>, taskId?: string): void;
};

export type ToolRegistryOptions = {
  speaker: Speaker;
  /** Where the calls themselves are written down. */
  recorder: Pick<Recorder, 'toolCalled' | 'toolStarted' | 'toolTimed'>;
  /** Told of every call that begins to run. */
  onStart: (toolName: string) => void;
};

type End = { resolve: (output: unknown) => void; reject: (error: unknown) => void };

/** A tool as the guard sees it, whoever defined it. */
type Guarded = {
  name: string;
  rules: ToolRules;
  inputSchema: FlexibleSchema;
  /** Whether it gives results one after the other. */
  streams: boolean;
  /** Whether it works while its own calls need the places of `concurrentToolCalls`. */
  isAgent: boolean;
  /** What a result becomes before the log and the model get it. */
  finish: (output: unknown) => unknown;
  run: (args: unknown, context: ToolContext) => unknown;
};

/**
 * Puts everything that a run promises about tool calls around each tool: limits, the loop guard, approvals, time
 * limits, and results that are whole, small enough and without keys.
 */
export function createToolRegistry({ speaker, recorder, onStart }: ToolRegistryOptions): ToolRegistry {
  const { tree } = speaker;
  const tools: ToolSet = {};
  const made = new WeakMap<ToolDefinition, ToolSet[string]>();
  let loops = createLoopGuard();
  let currentTask: string | undefined;
  /** What the model is told besides a result, by tool call id. */
  const notes = new Map<string, string>();
  let callsInStep = 0;

  function toTool(name: string, definition: ToolDefinition): ToolSet[string] {
    if (definition.kind === 'ready') return guardReady(name, definition.tool);
    const { description, inputSchema, rules } = definition;
    const isAgent = definition.kind === 'agent';
    const guarded: Guarded = {
      name,
      rules,
      inputSchema,
      isAgent,
      finish: (output) => capOutput(output, name),
      streams: !isAgent && definition.streams,
      run: (args, context) =>
        definition.kind === 'agent'
          ? tree.answer(speaker, { name, agent: definition.agent, args, context })
          : definition.run(args, context, subCallsOf(context.toolCallId)),
    };
    return tool({
      description,
      inputSchema,
      ...(rules.providerOptions === undefined ? {} : { providerOptions: rules.providerOptions }),
      execute: (args: unknown, context: ToolContext) => call(guarded, args, context),
      toModelOutput: ({ toolCallId, output }) => withNote(toModelOutput(output), notes.get(toolCallId)),
    }) as ToolSet[string];
  }

  /** A tool of the AI SDK's: its own conversions stay, and what it does is guarded like the rest. */
  function guardReady(name: string, ready: ToolSet[string]): ToolSet[string] {
    const { execute, inputSchema, toModelOutput: own } = ready;
    if (execute === undefined) return ready;
    const run = (args: unknown, context: ToolContext): unknown => execute(args as never, context as never);
    const guarded = {
      name,
      rules: {},
      inputSchema,
      isAgent: false,
      // a tool that tells the model of its results in its own way needs them whole
      finish: (output: unknown) => (own === undefined ? capOutput(output, name) : output),
      streams: isStreaming(execute),
      run,
    };
    return {
      ...ready,
      execute: (args: unknown, context: ToolContext) => call(guarded, args, context),
      toModelOutput: async (result: Parameters<NonNullable<typeof own>>[0]) =>
        withNote(
          own === undefined ? toModelOutput(result.output) : await own(result),
          notes.get(result.toolCallId),
        ),
    };
  }

  /** One call, from the first check to its result. What it throws becomes a tool error that the model reads. */
  function call(guarded: Guarded, given: unknown, context: ToolContext): unknown {
    const { name, rules, streams } = guarded;
    callsInStep += 1;
    const exceeded = tree.budget.takeToolCall();
    if (exceeded !== undefined) return fail(exceeded);
    const { toolCallsPerStep } = tree.budget.limits;
    if (callsInStep > toolCallsPerStep) throw budgetExceeded('toolCallsPerStep', toolCallsPerStep);
    const { verdict, settled } = loops.check({ toolName: name, input: given, ...rules });
    if (verdict.kind === 'end') return fail(verdict.error);
    if (verdict.kind === 'refuse') throw new Error(verdict.reason);
    if (verdict.kind === 'repeat') {
      notes.set(context.toolCallId, verdict.note);
      return verdict.output;
    }
    if (!streams) {
      const output = once(guarded, given, context);
      // a refusal is an answer: who asks again gets the same one
      settled(output.catch((error: unknown) => (isRefusal(error) ? error.message : Promise.reject(error))));
      return output;
    }
    let end: End = { resolve: () => {}, reject: () => {} };
    settled(new Promise((resolve, reject) => (end = { resolve, reject })));
    // the AI SDK shows the outputs of an iterable as they come
    return each(guarded, given, context, end);
  }

  async function once(guarded: Guarded, given: unknown, context: ToolContext): Promise<unknown> {
    const place = await enter(guarded, given, context);
    try {
      return guarded.finish(await untilAborted(lastOutput(place.start()), place.signal));
    } catch (error) {
      throw withoutKeys(error);
    } finally {
      place.leave();
    }
  }

  async function* each(
    guarded: Guarded,
    given: unknown,
    context: ToolContext,
    last: End,
  ): AsyncGenerator<unknown> {
    let output: unknown = null;
    try {
      const place = await enter(guarded, given, context);
      try {
        const outputs = (place.start() as AsyncIterable<unknown>)[Symbol.asyncIterator]();
        try {
          for (;;) {
            const next = await untilAborted(outputs.next(), place.signal);
            if (next.done === true) break;
            yield (output = guarded.finish(next.value));
          }
        } finally {
          // not awaited: a generator that waits for ever gives no answer to this either
          void outputs.return?.();
        }
      } finally {
        place.leave();
      }
    } catch (error) {
      const safe = withoutKeys(error);
      last.reject(safe);
      throw safe;
    } finally {
      // also where whoever reads the outputs stops doing so
      last.resolve(output);
    }
  }

  /** Waits until a call may run: written down, approved, and with a place to run in. */
  async function enter(
    { name, rules, inputSchema, isAgent, run }: Guarded,
    given: unknown,
    context: ToolContext,
  ): Promise<{ start: () => unknown; signal: AbortSignal | undefined; leave: () => void }> {
    const { toolCallId } = context;
    // what a tool does comes after its call, also in the log
    await recorder.toolCalled(toolCallId);
    const args = await approvedArguments(speaker, {
      toolName: name,
      rules,
      inputSchema,
      args: given,
      context,
    });
    // an agent takes no place: it would keep it from the calls that it waits for
    const release = isAgent ? () => {} : await tree.slots.take(context.abortSignal);
    const limit = rules.timeoutMs === undefined ? undefined : timeLimit(name, rules.timeoutMs);
    const signals = [context.abortSignal, limit?.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    const startedAt = performance.now();
    return {
      start() {
        recorder.toolStarted(toolCallId, name);
        onStart(name);
        return run(args, signal === undefined ? context : { ...context, abortSignal: signal });
      },
      signal,
      leave() {
        release();
        limit?.clear();
        recorder.toolTimed(toolCallId, Math.round((performance.now() - startedAt) * 100) / 100);
      },
    };
  }

  function subCallsOf(toolCallId: string): SubCallListener {
    const startedAt = new Map<number, number>();
    return {
      started(index, name, input) {
        const exceeded = index === 0 ? undefined : tree.budget.takeToolCall();
        if (exceeded !== undefined) fail(exceeded);
        startedAt.set(index, performance.now());
        speaker.sink.append({
          type: 'sub-call-start',
          toolCallId,
          index,
          name,
          input: toJson(input, tree.secrets),
        });
      },
      ended(index, outcome) {
        const ms = Math.round((performance.now() - (startedAt.get(index) ?? 0)) * 100) / 100;
        speaker.sink.append({
          type: 'sub-call-end',
          toolCallId,
          index,
          ...('error' in outcome
            ? { error: redact(outcome.error, tree.secrets) }
            : { output: toJson(outcome.output, tree.secrets) }),
          ms,
        });
      },
    };
  }

  function fail(error: CuelineError): never {
    tree.fail(error);
    throw error;
  }

  /** The model is told what a tool throws, so that must not name a key. */
  function withoutKeys(error: unknown): unknown {
    const text = getErrorMessage(error);
    const safe = redact(text, tree.secrets);
    return safe === text ? error : new Error(safe);
  }

  return {
    tools,
    update(definitions, taskId) {
      // a tool of the new task may be another under the same name, and its window hides the results of the old one
      if (taskId !== currentTask) loops = createLoopGuard();
      currentTask = taskId;
      callsInStep = 0;
      notes.clear();
      for (const name of Object.keys(tools)) if (!definitions.has(name)) delete tools[name];
      for (const [name, definition] of definitions) {
        const known = made.get(definition) ?? toTool(name, definition);
        made.set(definition, known);
        tools[name] = known;
      }
    },
  };
}

/** A result with what the model is told besides. */
function withNote(output: ToolResultOutput, note: string | undefined): ToolResultOutput {
  if (note === undefined) return output;
  const value =
    output.type === 'content'
      ? output.value
      : [{ type: 'text' as const, text: 'value' in output ? asText(output.value) : '' }];
  return { type: 'content', value: [...value, { type: 'text', text: note }] };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
