import type { StepResult, ToolSet } from 'ai';
import { CuelineError } from '../../base/errors.ts';
import type { LoopPolicy, PolicyStep, LoopPolicyContext, Feedback } from '../../engine/loop-policy.ts';
import type { UserContext } from '../../prompt/prompt-options.ts';
import type { Ending } from '../../engine/recorder.ts';
import type { ModelResponse } from '../../provider/with-retries.ts';
import { answerMessage } from './answer-message.ts';
import { createCompaction } from './compaction.ts';
import { createSessionConversation } from './session-conversation.ts';
import { frameTokens } from './estimate-context.ts';
import { createIdleReminder } from './idle-reminder.ts';
import { createLlmErrors, errorMessage, llmTimeouts } from './llm-errors.ts';
import type { SessionSettings } from './session-config.ts';
import { outOfTurns, reportEnd, withoutExecute } from './session-end.ts';
import type { CompletionReason, SessionResult } from './session-result.ts';
import { createSummarizer } from './summarize.ts';
import type { SuspendedCall } from '../../tools/suspend.ts';
import { suspensionsOf, unansweredCall } from './suspensions.ts';
import type { TaskComplete } from './task-complete.ts';
import { createSessionReporter } from './session-reporter.ts';
import { trackToolCalls } from './tool-call-tracker.ts';

/** A session in progress. `end` ends it, unless it has ended, and returns its result. */
export type TurnPolicy = {
  policy: LoopPolicy;
  end(error: CuelineError | undefined): Promise<SessionResult>;
};

/** Controls a conversation turn by turn, until the model completes its task or must not continue. */
export function createTurnPolicy(
  stage: LoopPolicyContext,
  settings: SessionSettings & { sessionId: string },
  { taskComplete, thrown }: { taskComplete: TaskComplete; thrown: Map<string, unknown> },
): TurnPolicy {
  const { maxTurns = 50, tokenLimit } = settings;
  const { runContext, sink } = stage.agentContext;
  const reporter = createSessionReporter(settings, sink);
  const conversation = createSessionConversation(stage.messages);
  const tools = trackToolCalls(stage.agentContext, conversation, reporter, thrown);
  const idle = createIdleReminder();
  const errors = createLlmErrors(settings.tokenLimit !== undefined);
  const abort = new AbortController();
  const calls: LoopPolicy['calls'] = {
    timeouts: llmTimeouts(settings.llmTimeout),
    onRetry: ({ error, delayMs }) => reporter.note('warn', error.message, { retriesInMs: delayMs }),
  };
  const compaction =
    tokenLimit === undefined
      ? undefined
      : createCompaction({
          tokenLimit,
          change: reporter.change,
          summarize: createSummarizer(stage.agentContext, calls, abort.signal),
          onError: (error) => reporter.fail({ phase: 'summarize', error, turn }),
          warn: reporter.warn,
        });
  let turn = 0;
  let lastText: string | undefined;
  /** The text of the current turn. */
  let turnText: string | undefined;
  let suspended: SuspendedCall[] = [];
  /** The current turn's error after which the session continues, and the one after which it does not. */
  let repairedError: CuelineError | undefined;
  let fatal: CuelineError | undefined;
  /** A mistake in the session's tools, after which no turn may follow. */
  let fault: CuelineError | undefined;
  /** Why no turn may follow. */
  let reason: CompletionReason | undefined;
  let result: Promise<SessionResult> | undefined;

  async function update(): Promise<void> {
    const news = conversation.takeChanges();
    if (news !== undefined) await reporter.call('onMessagesUpdate', news);
  }

  async function beforeStep(step: PolicyStep): ReturnType<NonNullable<LoopPolicy['beforeStep']>> {
    let differs = conversation.includeFeedback(step);
    repairedError = undefined;
    turnText = undefined;
    tools.clear();
    const { messages } = conversation;
    // responses have to follow the provider's approval requests
    const next = step.hasApprovalAnswers
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
    // the session may have been stopped meanwhile
    if (result !== undefined) return undefined;
    turn += 1;
    await reporter.call('onTurnStart', turn);
    return differs ? { messages: conversation.messages } : undefined;
  }

  /**
   * Called before the tools of an answer run. The conversation that is stored then shows which calls may have taken
   * effect.
   */
  async function onAnswer(answer: ModelResponse): Promise<void> {
    errors.succeeded();
    if (answer.text.trim() !== '') {
      lastText = turnText = answer.text;
      await reporter.call('onAssistantMessage', answer.text, turn);
    }
    if (answer.toolCalls.length === 0) return;
    conversation.addResponse(answerMessage(answer));
    for (const info of tools.begin(answer, turn)) await reporter.call('onToolCall', info);
    await update();
  }

  /** Adds a turn's messages and its tools' results to the conversation. */
  function close(step: StepResult<ToolSet, UserContext>): void {
    const unanswered = unansweredCall(step);
    if (unanswered !== undefined && taskComplete.completion === undefined)
      fault = withoutExecute(unanswered.toolName);
    suspended = suspensionsOf(step);
    conversation.closeStep(step.response.messages, new Set(suspended.map(({ toolCallId }) => toolCallId)));
    compaction?.counted(step.usage.totalTokens, conversation.messages);
  }

  /** True if another turn may follow, once everything about this one was reported. */
  async function mayGoOn(): Promise<boolean> {
    await reporter.drained();
    if (fault !== undefined) return false;
    if (suspended.length > 0) reason = 'suspended';
    else if (taskComplete.completion !== undefined) reason = 'task_complete';
    else if (turn >= maxTurns) reason = 'max_turns';
    return reason === undefined;
  }

  async function paused(step: StepResult<ToolSet, UserContext>): Promise<boolean> {
    close(step);
    const goesOn = await mayGoOn();
    if (fault === undefined) await update();
    return goesOn;
  }

  async function afterStep(step: StepResult<ToolSet, UserContext>): Promise<Feedback | undefined> {
    let feedback: string | undefined;
    if (repairedError === undefined) {
      feedback = idle.after(step.toolCalls.some(({ providerExecuted }) => providerExecuted !== true));
      close(step);
    } else {
      feedback = errorMessage(repairedError);
      conversation.dropLastStep();
      await reporter.fail({ phase: 'llm', error: repairedError, turn });
    }
    if (!(await mayGoOn())) feedback = undefined;
    if (fault !== undefined) return undefined;
    if (feedback !== undefined) conversation.addFeedback(feedback);
    await update();
    return feedback === undefined ? undefined : { text: feedback, corrects: repairedError !== undefined };
  }

  function finish(ending: Ending): Promise<SessionResult> {
    tools.stop();
    abort.abort(new CuelineError('aborted', 'The session is over.'));
    return reportEnd(reporter, {
      settings,
      ending,
      reason,
      phase: fatal === undefined ? 'session' : 'llm',
      turn,
      // the text of an earlier turn is not the task's result
      text: taskComplete.completion === undefined ? lastText : turnText,
      completion: taskComplete.completion,
      suspended,
      news: conversation.takeChanges(),
      messages: conversation.all(),
      usage: () => runContext.log.getState().usage,
    });
  }

  return {
    policy: {
      cause: 'session',
      calls: {
        ...calls,
        failsOnRefusal: true,
        onAnswer,
        repair(error) {
          const repairs = errors.repairs(error);
          if (repairs) repairedError = error;
          else fatal = error;
          if (error.code === 'context_overflow') compaction?.overflowed();
          return repairs;
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

/** Returns how many messages at the end are the user's. */
function wordsAtEnd(messages: LoopPolicyContext['messages']): number {
  return messages.length - 1 - messages.findLastIndex(({ role }) => role !== 'user');
}
