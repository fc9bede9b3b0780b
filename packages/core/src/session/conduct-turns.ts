import type { StepResult, ToolSet } from 'ai';
import { CuelineError } from '../errors.ts';
import type { Conduct, ConductedStep, Stage, Words } from '../run/conduct.ts';
import type { RunContext } from '../run/options.ts';
import type { Ending } from '../run/recorder.ts';
import type { ModelAnswer } from '../run/steady-model.ts';
import { answerMessage } from './answer-message.ts';
import { createCompaction } from './compaction.ts';
import { createConversation } from './conversation.ts';
import { frameTokens } from './estimate-context.ts';
import { createIdle } from './idle.ts';
import { createLlmErrors, errorMessage, llmTimeouts } from './llm-errors.ts';
import type { SessionSettings } from './session-config.ts';
import { outOfTurns, tellEnd, withoutExecute } from './session-end.ts';
import type { CompletionReason, SessionResult } from './session-result.ts';
import { createSummarizer } from './summarize.ts';
import type { SuspendedCall } from '../prompt/suspend.ts';
import { suspensionsOf, unansweredCall } from './suspensions.ts';
import type { TaskComplete } from './task-complete.ts';
import { createTeller } from './teller.ts';
import { followTools } from './tool-news.ts';

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
  const { maxTurns = 50, tokenLimit } = settings;
  const { tree, sink } = stage.speaker;
  const teller = createTeller(settings, sink);
  const conversation = createConversation(stage.messages);
  const tools = followTools(stage.speaker, conversation, teller, thrown);
  const idle = createIdle();
  const errors = createLlmErrors(settings.tokenLimit !== undefined);
  const abort = new AbortController();
  const calls: Conduct['calls'] = {
    timeouts: llmTimeouts(settings.llmTimeout),
    onRetry: ({ error, delayMs }) => teller.note('warn', error.message, { retriesInMs: delayMs }),
  };
  const compaction =
    tokenLimit === undefined
      ? undefined
      : createCompaction({
          tokenLimit,
          change: teller.change,
          summarize: createSummarizer(stage.speaker, calls, abort.signal),
          onError: (error) => teller.fail({ phase: 'summarize', error, turn }),
          warn: teller.warn,
        });
  let turn = 0;
  let lastText: string | undefined;
  /** What the turn that is under way has said. */
  let turnText: string | undefined;
  let suspended: SuspendedCall[] = [];
  /** What a turn has failed of that the session goes on after, and what it has not. */
  let healed: CuelineError | undefined;
  let fatal: CuelineError | undefined;
  /** A mistake in the session's tools, after which no turn may follow. */
  let fault: CuelineError | undefined;
  /** Why no turn may follow. */
  let reason: CompletionReason | undefined;
  let result: Promise<SessionResult> | undefined;

  async function update(): Promise<void> {
    const news = conversation.news();
    if (news !== undefined) await teller.call('onMessagesUpdate', news);
  }

  async function beforeStep(step: ConductedStep): ReturnType<NonNullable<Conduct['beforeStep']>> {
    let differs = conversation.hear(step);
    healed = undefined;
    turnText = undefined;
    tools.clear();
    const { messages } = conversation;
    // answers have to follow what the provider has asked
    const next = step.answers
      ? undefined
      : await compaction?.before({
          turn: turn + 1,
          messages,
          words: turn === 0 ? wordsAtEnd(messages) : step.steered,
          frame: () => frameTokens(step.instructions(), step.tools),
        });
    if (next !== undefined) {
      differs = true;
      conversation.replace(next);
    }
    await update();
    // meanwhile it may have been stopped
    if (result !== undefined) return undefined;
    turn += 1;
    await teller.call('onTurnStart', turn);
    return differs ? { messages: conversation.messages } : undefined;
  }

  /** Before the tools of an answer run. What is kept then shows which calls may have had an effect. */
  async function onAnswer(answer: ModelAnswer): Promise<void> {
    errors.succeeded();
    if (answer.text.trim() !== '') {
      lastText = turnText = answer.text;
      await teller.call('onAssistantMessage', answer.text, turn);
    }
    if (answer.toolCalls.length === 0) return;
    conversation.open(answerMessage(answer));
    for (const info of tools.begin(answer, turn)) await teller.call('onToolCall', info);
    await update();
  }

  /** What a turn has said, and what its tools have given, is part of the conversation from here on. */
  function close(step: StepResult<ToolSet, RunContext>): void {
    const unanswered = unansweredCall(step);
    if (unanswered !== undefined && taskComplete.completion === undefined)
      fault = withoutExecute(unanswered.toolName);
    suspended = suspensionsOf(step);
    conversation.close(step.response.messages, new Set(suspended.map(({ toolCallId }) => toolCallId)));
    compaction?.counted(step.usage.totalTokens, conversation.messages);
  }

  /** Whether a turn may follow one that is over, and everything about it was told. */
  async function mayGoOn(): Promise<boolean> {
    await teller.drained();
    if (fault !== undefined) return false;
    if (suspended.length > 0) reason = 'suspended';
    else if (taskComplete.completion !== undefined) reason = 'task_complete';
    else if (turn >= maxTurns) reason = 'max_turns';
    return reason === undefined;
  }

  async function paused(step: StepResult<ToolSet, RunContext>): Promise<boolean> {
    close(step);
    const goesOn = await mayGoOn();
    if (fault === undefined) await update();
    return goesOn;
  }

  async function afterStep(step: StepResult<ToolSet, RunContext>): Promise<Words | undefined> {
    let said: string | undefined;
    if (healed === undefined) {
      said = idle.after(step.toolCalls.some(({ providerExecuted }) => providerExecuted !== true));
      close(step);
    } else {
      said = errorMessage(healed);
      conversation.forget();
      await teller.fail({ phase: 'llm', error: healed, turn });
    }
    if (!(await mayGoOn())) said = undefined;
    if (fault !== undefined) return undefined;
    if (said !== undefined) conversation.tell(said);
    await update();
    return said === undefined ? undefined : { text: said, corrects: healed !== undefined };
  }

  function finish(ending: Ending): Promise<SessionResult> {
    tools.stop();
    abort.abort(new CuelineError('aborted', 'The session is over.'));
    return tellEnd(teller, {
      settings,
      ending,
      reason,
      phase: fatal === undefined ? 'session' : 'llm',
      turn,
      // what an earlier turn said on its way is not what came of the task
      text: taskComplete.completion === undefined ? lastText : turnText,
      completion: taskComplete.completion,
      suspended,
      news: conversation.news(),
      messages: conversation.all(),
      usage: () => tree.log.getState().usage,
    });
  }

  return {
    conduct: {
      cause: 'session',
      calls: {
        ...calls,
        failsOnRefusal: true,
        onAnswer,
        heal(error) {
          const heals = errors.heals(error);
          if (heals) healed = error;
          else fatal = error;
          if (error.code === 'context_overflow') compaction?.overflowed();
          return heals;
        },
      },
      beforeStep,
      afterStep,
      paused,
      done: () => reason !== undefined || fault !== undefined,
      result() {
        if (fault !== undefined) return { error: fault };
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

/** How many messages at the end are the user's. */
function wordsAtEnd(messages: Stage['messages']): number {
  return messages.length - 1 - messages.findLastIndex(({ role }) => role !== 'user');
}
