import type { StepResult, ToolSet } from 'ai';
import { anySignal } from '../../base/any-signal.ts';
import { isError, thrownName, thrownText } from '../../base/error-source.ts';
import { CuelineError } from '../../base/errors.ts';
import { plural } from '../../base/plural.ts';
import type { Ending } from '../../engine/ending.ts';
import type {
  Feedback,
  LoopPolicy,
  LoopPolicyContext,
  PastTurn,
  PolicyPast,
  PolicyStep,
} from '../../engine/loop-policy.ts';
import { toModelOutput } from '../../messages/tool-output.ts';
import type { UserContext } from '../../prompt/call-settings.ts';
import type { ModelResponse } from '../../provider/with-retries.ts';
import { isSuspension, type SuspendedCall } from '../../tools/suspend.ts';
import { Conversation } from '../conversation.ts';
import { recordToolCalls, type CallTrace } from '../record-tool-calls.ts';
import { unansweredCall } from '../unanswered-call.ts';
import { answerMessage, readInput } from './answer-message.ts';
import { Compaction, createSummarizer } from './compaction.ts';
import { frameTokens } from './estimate-context.ts';
import { createLlmErrors, errorMessage, llmTimeouts } from './llm-errors.ts';
import type { CompletionReason, SessionResult, ToolCallInfo } from './session-callbacks.ts';
import { CONTINUE, type SessionSettings } from './session-config.ts';
import { reportEnd, missingExecuteError } from './session-end.ts';
import { createSessionReporter, type SessionReporter } from './session-reporter.ts';
import { suspensionsOf, withoutPending, withoutSuspensions } from './suspensions.ts';
import { TASK_COMPLETE, type TaskComplete } from './task-complete.ts';

/** The message to a model that has done so in two turns in a row. */
const REMINDER =
  'REMINDER: If you have completed your task, you must call the task_complete tool with a summary. If you are not done yet, please continue working.';

type Step = StepResult<ToolSet, UserContext>;
type ModelCalls = NonNullable<LoopPolicy['calls']>;

/** Controls a conversation turn by turn, until the model completes its task or must not continue. */
export class SessionTurns implements LoopPolicy {
  readonly cause = 'session';
  readonly calls: ModelCalls;
  readonly #settings: SessionSettings & { sessionId: string };
  readonly #maxTurns: number;
  readonly #log: LoopPolicyContext['agentContext']['runContext']['log'];
  readonly #taskComplete: TaskComplete;
  readonly #reporter: SessionReporter;
  readonly #conversation: Conversation;
  readonly #compaction: Compaction | undefined;
  readonly #errors: ReturnType<typeof createLlmErrors>;
  readonly #trace: ReturnType<typeof recordToolCalls>;
  readonly #abort = new AbortController();
  #turn = 0;
  /** How many turns in a row had no call. */
  #idleTurns = 0;
  #lastText: string | undefined;
  // these belong to the current turn
  #turnText: string | undefined;
  readonly #toolCalls = new Map<string, ToolCallInfo>();
  /** What tools have thrown, by their calls' ids. */
  readonly #thrown = new Map<string, unknown>();
  #suspended: SuspendedCall[] = [];
  /** The error after which the session continues, and the one after which it does not. */
  #repairedError: CuelineError | undefined;
  #fatal: CuelineError | undefined;
  /** A mistake in the session's tools, after which no turn may follow. */
  #error: CuelineError | undefined;
  /** Why no turn may follow. */
  #reason: CompletionReason | undefined;
  #result: Promise<SessionResult> | undefined;

  constructor(
    { agentContext, messages, options, abortSignal }: LoopPolicyContext,
    settings: SessionSettings & { sessionId: string },
    taskComplete: TaskComplete,
  ) {
    const { maxTurns = 50, tokenLimit, llmTimeout } = settings;
    const reporter = createSessionReporter(settings, agentContext.sink);
    this.#settings = settings;
    this.#maxTurns = maxTurns;
    this.#log = agentContext.runContext.log;
    this.#taskComplete = taskComplete;
    this.#reporter = reporter;
    this.#conversation = new Conversation(messages.map(withoutSuspensions));
    this.#errors = createLlmErrors(tokenLimit !== undefined);
    this.#trace = recordToolCalls(agentContext, (call, isInvalid) => this.#toolEnded(call, isInvalid));
    const calls: ModelCalls = {
      timeouts: llmTimeouts(llmTimeout),
      onRetry: ({ error, delayMs }) => reporter.note('warn', error.message, { retriesInMs: delayMs }),
    };
    this.calls = {
      ...calls,
      failsOnRefusal: true,
      onAnswer: (answer) => this.#answered(answer),
      repair: (error) => this.#repairs(error),
    };
    if (tokenLimit === undefined) return;
    const signal = anySignal(this.#abort.signal, abortSignal);
    const summarize = createSummarizer(agentContext, calls, options, signal);
    this.#compaction = new Compaction(tokenLimit, reporter, summarize);
  }

  async takeOver({ turns, open, instructions, tools }: PolicyPast): Promise<void> {
    const begin = async (turn: PastTurn): Promise<void> => {
      const { received, hasApprovalAnswers, answers } = turn;
      this.#conversation.next({ messages: received, steered: received.length });
      const { messages } = this.#conversation;
      const replaced = hasApprovalAnswers
        ? undefined
        : await this.#compaction?.takeOver(
            {
              turn: this.#turn + 1,
              messages,
              userMessages: this.#turn === 0 ? userMessagesAtEnd(messages) : received.length,
              frame: () => frameTokens(instructions(), tools),
            },
            answers.some((answer) => answer.trim() !== '') ? turn.sent : undefined,
          );
      if (replaced !== undefined) this.#conversation.replace(replaced);
      this.#turn += 1;
      this.#turnText = undefined;
    };
    for (const turn of turns) {
      await begin(turn);
      const { result, feedback, isPaused } = turn;
      if (feedback?.corrects === true) {
        this.#errors.failed();
        if (feedback.code === 'context_overflow') this.#compaction?.overflowed();
      } else {
        this.#takeOverText(result);
        if (!isPaused) this.#reminder(result);
        this.#close(result);
      }
      this.#conversation.setFeedback(feedback?.text);
    }
    if (open !== undefined) {
      await begin(open);
      this.#takeOverAnswer(open.result);
    }
    this.#conversation.takeChanges();
  }

  async beforeStep(step: PolicyStep): ReturnType<NonNullable<LoopPolicy['beforeStep']>> {
    const sent = this.#conversation.next(step);
    this.#repairedError = undefined;
    this.#turnText = undefined;
    this.#toolCalls.clear();
    this.#thrown.clear();
    const { messages } = this.#conversation;
    // responses have to follow the provider's approval requests
    const summarized = step.hasApprovalAnswers
      ? undefined
      : await this.#compaction?.before({
          turn: this.#turn + 1,
          messages,
          userMessages: this.#turn === 0 ? userMessagesAtEnd(messages) : step.steered,
          frame: () => frameTokens(step.instructions(), step.tools),
        });
    if (summarized !== undefined) this.#conversation.replace(summarized);
    await this.#update();
    // the session may have been stopped meanwhile
    if (this.#result !== undefined) return undefined;
    this.#turn += 1;
    await this.#reporter.call('onTurnStart', this.#turn);
    const changed = summarized ?? sent;
    return changed === undefined ? undefined : { messages: changed, forgets: summarized !== undefined };
  }

  async afterStep(step: Step): Promise<Feedback | undefined> {
    const error = this.#repairedError;
    let feedback: string | undefined;
    if (error === undefined) {
      feedback = this.#reminder(step);
      this.#close(step);
    } else {
      feedback = errorMessage(error);
      this.#conversation.dropAnswer();
      await this.#reporter.fail({ phase: 'llm', error, turn: this.#turn });
    }
    if (!(await this.#canContinue())) feedback = undefined;
    if (this.#error !== undefined) return undefined;
    this.#conversation.setFeedback(feedback);
    await this.#update();
    return feedback === undefined
      ? undefined
      : { text: feedback, corrects: error !== undefined, code: error?.code };
  }

  async paused(step: Step): Promise<boolean> {
    this.#close(step);
    const canContinue = await this.#canContinue();
    if (this.#error === undefined) await this.#update();
    return canContinue;
  }

  toolFailed(toolCallId: string, error: unknown): void {
    // errors for the model have no name, and the original one as their cause
    this.#thrown.set(toolCallId, isError(error) && thrownName(error) === '' ? error.cause : error);
  }

  done(): boolean {
    return this.#reason !== undefined || this.#error !== undefined;
  }

  result(): ReturnType<NonNullable<LoopPolicy['result']>> {
    if (this.#error !== undefined) return { error: this.#error };
    if (this.#reason === 'task_complete') return { output: this.#taskComplete.completion };
    if (this.#reason === 'suspended') return { waiting: true };
    return this.#reason === 'max_turns' ? { error: turnLimitError(this.#maxTurns) } : undefined;
  }

  ended(ending: Ending): void {
    void this.end(ending);
  }

  /** Ends the session, unless it has ended, and returns its result. */
  end(ending: Ending): Promise<SessionResult> {
    this.#result ??= this.#finish(ending);
    return this.#result;
  }

  #takeOverText({ text }: Step): void {
    this.#errors.succeeded();
    if (text.trim() !== '') this.#lastText = this.#turnText = text;
  }

  /** Takes over an answer whose calls have not all ended. */
  #takeOverAnswer(step: Step): void {
    this.#takeOverText(step);
    const [answer, results] = step.response.messages;
    if (answer !== undefined) this.#conversation.openAnswer(answer);
    for (const part of results?.role === 'tool' ? results.content : []) {
      if (part.type === 'tool-result') this.#conversation.addResult(part, part.output);
    }
    for (const { toolCallId, toolName, input } of step.toolCalls) {
      this.#toolCalls.set(toolCallId, { toolCallId, toolName, input, turn: this.#turn });
    }
    for (const { toolName, input } of step.toolResults) {
      if (toolName === TASK_COMPLETE) this.#taskComplete.takeOver(input);
    }
  }

  #finish(ending: Ending): Promise<SessionResult> {
    this.#trace.end();
    this.#abort.abort(new CuelineError('aborted', 'The session is over.'));
    const { completion } = this.#taskComplete;
    // the text of an earlier turn is not the task's result
    const text = completion === undefined ? this.#lastText : this.#turnText;
    return reportEnd(this.#reporter, this.#settings, {
      finalOutput: text ?? completion?.summary ?? '',
      ...(completion === undefined ? {} : { summary: completion.summary }),
      ...(completion?.result === undefined ? {} : { taskResult: completion.result }),
      totalTurns: this.#turn,
      hasNewMessages: this.#conversation.takeChanges() !== undefined,
      messages: this.#conversation.all(),
      suspended: this.#suspended,
      ending,
      reason: this.#reason,
      phase: this.#fatal === undefined ? 'session' : 'llm',
      usage: () => this.#log.getState().usage,
    });
  }

  /**
   * Called before the tools of an answer run. The conversation that is stored then shows which calls may have taken
   * effect.
   */
  async #answered(answer: ModelResponse): Promise<void> {
    this.#errors.succeeded();
    if (answer.text.trim() !== '') {
      this.#lastText = this.#turnText = answer.text;
      await this.#reporter.call('onAssistantMessage', answer.text, this.#turn);
    }
    if (answer.toolCalls.length === 0) return;
    this.#conversation.openAnswer(answerMessage(answer));
    const infos = answer.toolCalls.map((call) => ({
      ...call,
      input: readInput(call.input),
      turn: this.#turn,
    }));
    for (const info of infos) this.#toolCalls.set(info.toolCallId, info);
    for (const info of infos) await this.#reporter.call('onToolCall', info);
    await this.#update();
  }

  #repairs(error: CuelineError): boolean {
    const repairs = this.#errors.repairs(error);
    if (repairs) this.#repairedError = error;
    else this.#fatal = error;
    if (error.code === 'context_overflow') this.#compaction?.overflowed();
    return repairs;
  }

  /** Tools end in any order, and are reported in that order. */
  #toolEnded({ toolCallId, output, error }: CallTrace, isInvalid: boolean): void {
    const info = this.#toolCalls.get(toolCallId);
    if (info === undefined) return;
    if (error !== undefined) {
      this.#conversation.addResult(info, { type: 'error-text', value: error });
      const phase = isInvalid ? 'tool_parsing' : 'tool_execution';
      const thrown = isInvalid ? undefined : this.#thrown.get(toolCallId);
      void this.#reporter.fail({ ...info, phase, error: originalError(thrown, error) });
    } else if (!isSuspension(output)) {
      this.#conversation.addResult(info, toModelOutput(output));
      void this.#reporter.call('onToolResult', { ...info, output });
    }
  }

  /** Adds a turn's messages and its tools' results to the conversation. */
  #close(step: Step): void {
    const unanswered = unansweredCall(step, { isAsking: false });
    if (unanswered !== undefined && this.#taskComplete.completion === undefined) {
      this.#error = missingExecuteError(unanswered.toolName);
    }
    this.#suspended = suspensionsOf(step);
    this.#conversation.addAnswer(withoutPending(step.response.messages, this.#suspended));
    this.#compaction?.counted(step.usage.totalTokens, this.#conversation.messages);
  }

  /** True if another turn may follow, once everything about this one was reported. */
  async #canContinue(): Promise<boolean> {
    await this.#reporter.drained();
    if (this.#error !== undefined) return false;
    if (this.#suspended.length > 0) this.#reason = 'suspended';
    else if (this.#taskComplete.completion !== undefined) this.#reason = 'task_complete';
    else if (this.#turn >= this.#maxTurns) this.#reason = 'max_turns';
    return this.#reason === undefined;
  }

  async #update(): Promise<void> {
    const changed = this.#conversation.takeChanges();
    if (changed !== undefined) await this.#reporter.call('onMessagesUpdate', changed);
  }

  /** Returns the message to a model that only talks. */
  #reminder({ toolCalls }: Step): string | undefined {
    const called = toolCalls.some(({ providerExecuted }) => providerExecuted !== true);
    this.#idleTurns = called ? 0 : this.#idleTurns + 1;
    if (this.#idleTurns < 2) return called ? undefined : CONTINUE;
    this.#idleTurns = 0;
    return REMINDER;
  }
}

function turnLimitError(maxTurns: number): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `The session has used its ${plural(maxTurns, 'turn')}, and its task is not complete. Continue from its messages, or raise maxTurns.`,
    { details: { limit: 'turns', allowed: maxTurns } },
  );
}

/**
 * Returns the error that a tool threw, if the log may contain its text; otherwise the logged one, which has no keys.
 */
function originalError(thrown: unknown, logged: string): Error {
  return logged.endsWith(thrownText(thrown)) && isError(thrown) ? thrown : new Error(logged);
}

/** Returns how many messages at the end are the user's. */
function userMessagesAtEnd(messages: LoopPolicyContext['messages']): number {
  return messages.length - 1 - messages.findLastIndex(({ role }) => role !== 'user');
}
