import type { StepResult, ToolSet } from 'ai';
import { CuelineError } from '../errors.ts';
import type { RunEvent } from '../log/events.ts';
import type { Conduct, ConductedStep, Stage } from '../run/conduct.ts';
import type { RunContext } from '../run/options.ts';
import type { Ending } from '../run/recorder.ts';
import { steadyModel, type ModelAnswer, type SteadySettings } from '../run/steady-model.ts';
import { answerMessage, readInput } from './answer-message.ts';
import { createCompaction } from './compaction.ts';
import { createConversation } from './conversation.ts';
import { frameTokens } from './estimate-context.ts';
import { createIdle } from './idle.ts';
import { createLlmErrors, errorMessage, llmTimeouts } from './llm-errors.ts';
import { createCallbackQueue, type ErrorInfo, type ToolCallInfo } from './session-callbacks.ts';
import type { SessionSettings } from './session-config.ts';
import { createSessionLog } from './session-log.ts';
import { reasonOf, type CompletionReason, type SessionResult } from './session-result.ts';
import { createSummarizer } from './summarize.ts';
import { isSuspension, type SuspendedCall } from './suspend.ts';
import type { TaskComplete } from './task-complete.ts';

/** A session under way. `end` ends it unless it has ended, and gives its result. */
export type ConductedTurns = {
  conduct: Conduct;
  end(error: CuelineError | undefined): Promise<SessionResult>;
};

/** Conducts a conversation turn by turn, until the model says that its task is complete or may not go on. */
export function conductTurns(
  stage: Stage,
  settings: SessionSettings & { sessionId: string },
  { taskComplete, thrown }: { taskComplete: TaskComplete; thrown: Map<string, unknown> },
): ConductedTurns {
  const { sessionId, callbacks = {}, maxTurns = 50, tokenLimit, metadata } = settings;
  const { tree, sink, path } = stage.speaker;
  const warn = (message: string): void => sink.append({ type: 'warning', message });
  const note = createSessionLog(settings.logger, sessionId, metadata);
  const queue = createCallbackQueue(sessionId, callbacks, { warn, note });
  const conversation = createConversation(stage.messages);
  const idle = createIdle();
  const errors = createLlmErrors();
  const abort = new AbortController();
  const steady: SteadySettings = {
    timeouts: llmTimeouts(settings.llmTimeout),
    secrets: tree.secrets,
    onRetry: (error, delayMs) => note('warn', error.message, { retriesInMs: delayMs }),
  };
  const compaction =
    tokenLimit === undefined
      ? undefined
      : createCompaction({
          tokenLimit,
          change: async (name, messages) => (result === undefined ? queue.change(name, messages) : messages),
          summarize: createSummarizer(stage.speaker, steady, abort.signal),
          onError: (error) => fails({ phase: 'summarize', error, turn }),
          warn(message) {
            warn(message);
            note('warn', message);
          },
        });
  let frame: number | undefined;
  let turn = 0;
  let lastText: string | undefined;
  let reason: CompletionReason | undefined;
  let suspended: SuspendedCall[] = [];
  /** What a turn has failed of that the session goes on after, and what it has not. */
  let healed: CuelineError | undefined;
  let fatal: CuelineError | undefined;
  /** The calls of the turn, and those of them that cannot run. */
  const calls = new Map<string, ToolCallInfo>();
  const invalid = new Set<string>();
  let result: Promise<SessionResult> | undefined;

  /** What is told once the session is over would come after `onComplete`. */
  const tell: typeof queue.call = async (name, ...given) => {
    if (result === undefined) await queue.call(name, ...given);
  };

  async function fails(info: ErrorInfo): Promise<void> {
    note('error', info.error.message, { phase: info.phase, turn: info.turn });
    await tell('onError', info);
  }

  async function update(): Promise<void> {
    const news = conversation.news();
    if (news !== undefined) await tell('onMessagesUpdate', news);
  }

  const unlisten = tree.log.listen((event) => {
    if (event.agent === path) hear(event);
  });

  /** Tools end in any order, and are told of as they do. */
  function hear(event: RunEvent): void {
    if (event.type === 'tool-input-end' && event.invalid !== undefined) invalid.add(event.toolCallId);
    if (event.type !== 'tool-end' && event.type !== 'tool-error') return;
    const info = calls.get(event.toolCallId);
    if (info === undefined) return;
    if (event.type === 'tool-end') {
      if (isSuspension(event.output)) return;
      conversation.settle(info, event.output);
      void tell('onToolResult', { ...info, output: event.output });
      return;
    }
    conversation.fail(info, event.error);
    const phase = invalid.has(event.toolCallId) ? 'tool_parsing' : 'tool_execution';
    void fails({ ...info, phase, error: errorOf(thrown.get(event.toolCallId), event.error) });
  }

  async function beforeStep(step: ConductedStep): ReturnType<NonNullable<Conduct['beforeStep']>> {
    let differs = conversation.hear(step);
    healed = undefined;
    for (const known of [calls, invalid, thrown]) known.clear();
    if (compaction !== undefined) {
      frame ??= await frameTokens(step.instructions(), step.tools);
      const { messages } = conversation;
      const words = turn === 0 ? wordsAtEnd(messages) : step.steered;
      const next = await compaction.before({ turn: turn + 1, messages, words, frame });
      if (next !== undefined) {
        differs = true;
        conversation.replace(next);
      }
    }
    await update();
    // meanwhile it may have been stopped
    if (result !== undefined) return undefined;
    turn += 1;
    await tell('onTurnStart', turn);
    return differs ? { messages: conversation.messages } : undefined;
  }

  async function onAnswer(answer: ModelAnswer): Promise<void> {
    errors.succeeded();
    if (answer.text.trim() !== '') {
      lastText = answer.text;
      await tell('onAssistantMessage', answer.text, turn);
    }
    if (answer.toolCalls.length === 0) return;
    conversation.open(answerMessage(answer));
    for (const { toolCallId, toolName, input } of answer.toolCalls) {
      const info: ToolCallInfo = { toolCallId, toolName, input: readInput(input), turn };
      calls.set(toolCallId, info);
      await tell('onToolCall', info);
    }
    await update();
  }

  async function afterStep(step: StepResult<ToolSet, RunContext>): Promise<string | undefined> {
    let said: string | undefined;
    if (healed === undefined) {
      const called = step.toolCalls.some(({ providerExecuted }) => providerExecuted !== true);
      said = idle.after(called);
      suspended = suspensionsOf(step);
      conversation.close(step.response.messages, new Set(suspended.map(({ toolCallId }) => toolCallId)));
      compaction?.counted(step.usage.totalTokens, conversation.messages);
    } else {
      said = errorMessage(healed);
      conversation.forget();
      await fails({ phase: 'llm', error: healed, turn });
    }
    await queue.drained();
    if (suspended.length > 0) reason = 'suspended';
    else if (taskComplete.completion !== undefined) reason = 'task_complete';
    else if (turn >= maxTurns) reason = 'max_turns';
    if (reason !== undefined) said = undefined;
    if (said !== undefined) conversation.tell(said);
    await update();
    return said;
  }

  function finish({ outcome, error }: Ending): Promise<SessionResult> {
    unlisten();
    abort.abort(new CuelineError('aborted', 'The session is over.'));
    const completionReason = reasonOf(outcome, reason);
    const news = conversation.news();
    const messages = conversation.all();
    const { completion } = taskComplete;
    const left: ErrorInfo | undefined =
      completionReason !== 'error' || error === undefined
        ? undefined
        : { phase: fatal === undefined ? 'session' : 'llm', error, turn };
    return (async () => {
      if (left !== undefined) {
        note('error', left.error.message, { phase: left.phase, turn });
        await queue.call('onError', left);
      }
      if (news !== undefined) await queue.call('onMessagesUpdate', news);
      const info: SessionResult = {
        sessionId,
        finalOutput: lastText ?? completion?.summary ?? '',
        totalTurns: turn,
        completionReason,
        messages,
        ...(completion?.result === undefined ? {} : { taskResult: completion.result }),
        ...(completionReason === 'suspended' ? { suspended } : {}),
        ...(left === undefined ? {} : { error: left.error as CuelineError }),
        usage: tree.log.getState().usage,
        ...(metadata === undefined ? {} : { metadata }),
      };
      await queue.call('onComplete', info);
      note('info', `The session is over: ${completionReason}.`, { turns: turn });
      return info;
    })();
  }

  return {
    conduct: {
      cause: 'session',
      model: (model) =>
        steadyModel(model, {
          ...steady,
          onAnswer,
          heal(error) {
            if (errors.heals(error)) healed = error;
            else fatal = error;
            return healed !== undefined;
          },
        }),
      beforeStep,
      afterStep,
      done: () => reason !== undefined,
      result() {
        if (reason === 'task_complete') return { output: taskComplete.completion };
        if (reason === 'suspended') return { waiting: true };
        return reason === 'max_turns' ? { error: outOfTurns(maxTurns) } : undefined;
      },
      ended: (ending) => void (result ??= finish(ending)),
    },
    end: (error) =>
      (result ??= finish(error === undefined ? { outcome: 'stopped' } : { outcome: 'error', error })),
  };
}

function suspensionsOf({ toolResults }: StepResult<ToolSet, RunContext>): SuspendedCall[] {
  return toolResults.flatMap(({ toolCallId, toolName, output }) =>
    isSuspension(output) ? [{ toolCallId, toolName, payload: output.payload }] : [],
  );
}

/** What a tool threw, where the log may say the same of it; otherwise what the log says, which has no keys. */
function errorOf(thrown: unknown, logged: string): Error {
  return thrown instanceof Error && logged.endsWith(thrown.message) ? thrown : new Error(logged);
}

/** How many messages at the end are the user's. */
function wordsAtEnd(messages: Stage['messages']): number {
  return messages.length - 1 - messages.findLastIndex(({ role }) => role !== 'user');
}

function outOfTurns(maxTurns: number): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `The session has had its ${maxTurns} turns, and its task is not complete. Go on from its messages, or raise maxTurns.`,
    { details: { limit: 'turns', allowed: maxTurns } },
  );
}
