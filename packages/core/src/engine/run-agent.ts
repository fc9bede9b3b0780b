import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import { createId } from '../base/create-id.ts';
import { CuelineError } from '../base/errors.ts';
import type { AgentEnd, AgentLog } from '../log/agent-log.ts';
import type { RunEvent, RunEventBody } from '../log/events.ts';
import { reduceAll } from '../log/reduce.ts';
import { readPast } from '../log/run-past.ts';
import { toJson } from '../messages/to-json.ts';
import { toModelMessages, toUIMessages } from '../messages/ui-messages.ts';
import { checkSettings } from '../prompt/check-settings.ts';
import { noteInput } from '../prompt/prompt-inputs.ts';
import type { Plugin, Prompt } from '../prompt/prompt.ts';
import { budgetExceededError } from '../tool-calls/limits.ts';
import type { AgentCall, EventSink, AgentContext } from '../tool-calls/run-context.ts';
import { toolsWithModelOutput } from '../tools/model-output.ts';
import type { ToolSchema } from '../tools/schema.ts';
import type { ToolList } from '../tools/tool-list.ts';
import { startAgentLoop, type AgentLoopOptions } from './agent-loop.ts';
import type { Ending } from './ending.ts';
import type { LoopPolicyContext, LoopPolicySetup } from './loop-policy.ts';
import { checkMessages, openPrompt, type OpenedPrompt } from './open-prompt.ts';
import { awaitProviderApprovals, locateAgent, type AgentIdentity } from './take-over/locate-agent.ts';
import { readPastTurns } from './take-over/past-turns.ts';
import { messagesOf, takeOverOf } from './take-over/take-over.ts';

/**
 * Answers a tool call with an agent's prompt, which runs in the same log, under the same limits, and stops with
 * its parent. Resolves with the text of its answer, or with the object of its response schema. Rejects with the
 * reason if there is no answer, which the parent's model reads.
 */
export async function runAgent(
  parent: AgentContext,
  { name, agent, args, context }: AgentCall,
): Promise<unknown> {
  const { tools, ...options } = agent.options;
  return answerWithin(parent, {
    name,
    toolCallId: context.toolCallId,
    callBase: context.idempotencyKey,
    input: args,
    model: agent.model,
    plugins: agent.plugins,
    define(prompt) {
      noteInput(prompt, args);
      return agent.run(args, prompt, context);
    },
    tools,
    options,
    responseSchema: agent.responseSchema,
    abortSignal: context.abortSignal,
  });
}

/** A prompt that runs inside a run. */
export type InnerPrompt = AgentIdentity & {
  /** Default: the parent's model. */
  model?: string | LanguageModel | undefined;
  plugins?: readonly Plugin[];
  declared?: ToolList | undefined;
  define?: (prompt: Prompt) => void | Promise<void>;
  messages?: readonly ModelMessage[] | undefined;
  tools?: ToolSet | undefined;
  options: AgentLoopOptions['options'];
  responseSchema?: ToolSchema | undefined;
  abortSignal: AbortSignal | undefined;
};

/** Runs a prompt inside a run, and returns its result. @throws CuelineError the reason if there is no result */
export async function answerWithin(parent: AgentContext, inner: InnerPrompt): Promise<unknown> {
  const answer = (): Promise<unknown> => answerInside(parent, inner);
  return parent.releaseWhile === undefined ? answer() : parent.releaseWhile(answer);
}

async function answerInside(parent: AgentContext, inner: InnerPrompt): Promise<unknown> {
  const { runContext } = parent;
  const { name, toolCallId, input, plugins = [], declared, define, policySetup, abortSignal } = inner;
  const depth = parent.depth + 1;
  // its answer would be paid for and never seen
  if (runContext.log.ended) throw runEndedError(name);
  if (depth > runContext.budget.limits.depth)
    throw budgetExceededError('depth', runContext.budget.limits.depth);
  checkSettings(inner.options);
  const { prompt, messages: promptMessages } = await openPrompt({
    plugins,
    declared,
    async define(own) {
      await define?.(own);
      await policySetup?.define?.(own);
    },
    tools: inner.tools,
    messages: inner.messages,
  });
  const model = inner.model === undefined ? parent.model : await runContext.models.resolve(inner.model);
  const located = locateAgent(parent, inner);
  const { path, callBase, calls, known } = located;
  if (known?.end !== undefined) {
    const sink = { append: () => {}, ended: true };
    const context = { runContext, path, depth, callBase, model, sink, past: readPast(known.events) };
    const { options } = inner;
    await reportEnd(
      { setup: policySetup, agentContext: context, messages: promptMessages, options, prompt },
      known,
    );
    return resultOf(name, known.events, known.end);
  }
  const past = await awaitProviderApprovals(located, runContext, abortSignal);
  const earlier = past === undefined ? [] : messagesOf(past, calls);
  const messages = [
    ...promptMessages,
    ...(await toModelMessages(earlier, toolsWithModelOutput(prompt.definitions.tools))),
  ];
  checkMessages(messages);
  // its function may have taken long
  abortSignal?.throwIfAborted();
  const sink = createAgentSink(runContext.log, path);
  const agentContext: AgentContext = { runContext, path, depth, callBase, model, sink, past };
  let ending: Ending | undefined;
  if (located.voids !== undefined) sink.append(located.voids);
  if (past === undefined) {
    sink.append({
      type: 'agent-start',
      name,
      toolCallId,
      model: typeof model === 'string' ? model : `${model.provider}:${model.modelId}`,
      input: toJson(input, runContext.secrets),
      messages: toUIMessages(messages),
      messageId: createId('msg'),
    });
  }
  const policy = policySetup?.policy({
    agentContext,
    messages: promptMessages,
    options: inner.options,
    abortSignal,
  });
  const value = (): unknown => (response === undefined ? policy?.result?.()?.output : response.value);
  const { result, recorder, response } = startAgentLoop(agentContext, {
    prompt,
    messages,
    options: inner.options,
    abortSignal: abortSignal ?? new AbortController().signal,
    ...(inner.responseSchema === undefined ? {} : { responseSchema: inner.responseSchema }),
    policy,
    takeOver: past === undefined ? undefined : await takeOverOf(past, calls, { prompt, promptMessages }),
    onEnd(result) {
      ending = result;
      const { outcome, finishReason, error } = result;
      const output = outcome === 'done' ? value() : undefined;
      sink.end({
        type: 'agent-end',
        // an agent that waits for an answer which cannot come has stopped
        outcome: outcome === 'waiting' ? 'stopped' : outcome,
        ...(finishReason === undefined ? {} : { finishReason }),
        ...(output === undefined ? {} : { output: toJson(output, runContext.secrets) }),
        ...(error === undefined ? {} : { error: error.toJSON() }),
      });
    },
  });
  runContext.stepRecorders.add(recorder.calls);
  await result.consumeStream({ onError: (error) => recorder.fail(error) });
  runContext.stepRecorders.delete(recorder.calls);
  // a run that has ended logs no more events
  if (ending === undefined) policy?.ended?.(endingBy(abortSignal?.reason));
  abortSignal?.throwIfAborted();
  if (ending === undefined && runContext.log.ended) throw runEndedError(name);
  if (ending?.outcome !== 'done') throw agentError(name, ending);
  return response === undefined && policy === undefined ? await result.text : value();
}

/** Lets the policy of an agent that has ended in another process report its end. */
async function reportEnd(
  {
    setup,
    prompt,
    ...context
  }: Omit<LoopPolicyContext, 'abortSignal'> & {
    setup: LoopPolicySetup | undefined;
    prompt: OpenedPrompt['prompt'];
  },
  { events, end }: AgentLog,
): Promise<void> {
  const policy = setup?.policy({ ...context, abortSignal: undefined });
  if (policy?.ended === undefined || end === undefined) return;
  const tools = toolsWithModelOutput(prompt.definitions.tools);
  const { turns } = await readPastTurns({ events, state: reduceAll(events) }, tools);
  await policy.takeOver?.({ turns, open: undefined, instructions: () => undefined, tools, ended: true });
  const { outcome, error } = end;
  policy.ended({ outcome, ...(error === undefined ? {} : { error: CuelineError.fromJSON(error) }) });
}

/**
 * Returns the result of an agent that has ended in another process.
 * @throws CuelineError if it has no result
 */
function resultOf(name: string, events: readonly RunEvent[], end: AgentEnd): unknown {
  const { outcome, output, error } = end;
  if (outcome === 'done') return output ?? reduceAll(events).text;
  throw agentError(
    name,
    error === undefined ? undefined : { outcome: 'error', error: CuelineError.fromJSON(error) },
  );
}

/** Returns the end of an agent: with its own reason, or as stopped because its run ended. */
function endingBy(reason: unknown): Ending {
  const isError = CuelineError.isInstance(reason) && reason.code !== 'aborted';
  return isError ? { outcome: 'error', error: reason } : { outcome: 'stopped' };
}

function runEndedError(name: string): CuelineError {
  return new CuelineError(
    'aborted',
    `The run that the agent ${name} was called in has ended, so there is no answer. Await the call before the tool's function returns.`,
  );
}

function agentError(name: string, ending: Ending | undefined): CuelineError {
  const { error } = ending ?? {};
  const why =
    ending?.outcome === 'waiting'
      ? 'it waits for an approval of a call that runs neither here nor at the provider. Give its tool a function.'
      : 'it ended unexpectedly.';
  return new CuelineError(
    error?.code ?? 'stream_truncated',
    `The agent ${name} gave no answer: ${error?.message ?? why}`,
    error === undefined ? {} : { cause: error, source: error.source },
  );
}

/** Creates the agent's part of the log. */
function createAgentSink(
  log: AgentContext['runContext']['log'],
  path: string,
): EventSink & { end(body: RunEventBody): void } {
  let ended = false;
  const append = (body: RunEventBody): void => {
    if (!ended) log.append({ ...body, agent: path });
  };
  return {
    append,
    get ended() {
      return ended || log.ended;
    },
    end(body) {
      append(body);
      ended = true;
    },
  };
}
