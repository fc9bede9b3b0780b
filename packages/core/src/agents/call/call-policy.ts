import type { CuelineError } from '../../base/errors.ts';
import { scriptError } from '../../base/script-error.ts';
import type { LoopPolicy, LoopPolicyContext } from '../../engine/loop-policy.ts';
import type { Ending } from '../../engine/recorder.ts';
import type { AgentConfig } from './agent-config.ts';
import { callLimits } from './check-agent.ts';
import { endedEarlyError, unansweredCallError, unusableAnswersError } from './call-faults.ts';
import { eventOf } from './call-error.ts';
import type { CallReport } from './call-report.ts';
import { traceCalls } from '../trace-calls.ts';
import { exceptionMessage, FINAL_ANSWER, interruptMessage } from './call-messages.ts';
import { createCallConversation } from './call-conversation.ts';
import { readAnswer, type CallStep } from './read-answer.ts';
import type { OutputReader } from './read-output.ts';
import {
  initialCallState,
  isEnd,
  mayCallTools,
  noCounts,
  transition,
  type CallEvent,
} from './transitions.ts';
import { withoutCalls } from './without-tool-calls.ts';

/**
 * Controls one agent call: each answer is an event, the table of transitions decides what follows, and unusable
 * answers leave the conversation as soon as there is a usable one. Calls `onEnd` once, with the end.
 */
export function createCallPolicy(
  config: AgentConfig,
  reader: OutputReader,
  { agentContext, messages: opening }: LoopPolicyContext,
  onEnd: (report: CallReport) => void = () => {},
): LoopPolicy {
  const { name } = config;
  const limits = callLimits(config);
  const trace = traceCalls(agentContext);
  const conversation = createCallConversation(opening);
  let state = initialCallState(limits);
  let counters = noCounts;
  let stopped: Pick<CallReport, 'state' | 'event'> = { state, event: 'aborted' };
  let value: unknown;
  let error: CuelineError | undefined;
  let providerMetadata: unknown;
  /** Tools that the last answer called although it must not call any. */
  const refused = new Set<string>();
  /** The number of calls before the step. */
  let called = 0;

  function take(event: CallEvent): void {
    stopped = { state, event };
    ({ state, counters } = transition(state, event, counters, limits));
  }

  /** Returns the message to the model about an answer, if any. */
  async function afterAnswer(step: CallStep): Promise<string | undefined> {
    const answer = await readAnswer(step, { reader, refused, secrets: agentContext.runContext.secrets });
    const { event, fault } = answer;
    take(event);
    const { messages } = step.response;
    if (state === 'failed') {
      error =
        event === 'waiting'
          ? unansweredCallError(name)
          : unusableAnswersError(name, counters.failures, answer);
      return undefined;
    }
    if (fault !== undefined) {
      // an empty answer cannot be sent back
      conversation.addUnusableAnswer(event === 'silent' ? [] : messages);
      const exception = { error_message: fault, text: step.text, attempt: counters.exceptions };
      return exceptionMessage(name, config.onException, exception);
    }
    conversation.addAnswer(messages);
    if (state !== 'done') return afterCalls();
    ({ value } = answer);
    ({ providerMetadata } = step);
    return undefined;
  }

  async function afterCalls(): Promise<string | undefined> {
    const { interrupts } = counters;
    const feedback = await interruptMessage(name, config.onInterrupt, {
      call_results: trace.calls.slice(called),
      interrupt: interrupts,
      remaining: limits.maxInterrupts - interrupts,
    });
    if (state !== 'final') return feedback;
    return feedback === undefined ? FINAL_ANSWER : `${feedback}\n\n${FINAL_ANSWER}`;
  }

  /** Notes the end of a call from outside. */
  function endFromOutside({ outcome, error: given }: Ending): void {
    if (isEnd(state)) return;
    if (outcome === 'stopped') take('aborted');
    else if (outcome === 'waiting') take('waiting');
    else take(given === undefined ? 'limit' : eventOf(given));
    error ??= given ?? (outcome === 'waiting' ? unansweredCallError(name) : undefined);
  }

  return {
    cause: 'call',
    calls: { failsOnRefusal: true },
    model: (model) => withoutCalls(model, () => !mayCallTools(state), refused),
    async beforeStep({ messages, steered }) {
      called = trace.calls.length;
      const told = messages.slice(messages.length - steered);
      const sent = conversation.next(messages, told);
      return {
        ...(sent === messages ? {} : { messages: sent }),
        ...(mayCallTools(state) ? {} : { toolChoice: 'none' as const }),
      };
    },
    paused({ response }) {
      // the call continues from here once it has the responses, in whatever state
      conversation.addAnswer(response.messages);
      return true;
    },
    async afterStep(step) {
      try {
        const feedback = await afterAnswer(step);
        conversation.setFeedback(feedback);
        const corrects = state === 'correcting' || state === 'final_correcting';
        return feedback === undefined ? undefined : { text: feedback, corrects };
      } catch (thrown) {
        // the handler failed, so there is no message to the model and no way to continue
        take('broken');
        error = scriptError(`Agent "${name}"`, thrown);
        return undefined;
      }
    },
    done: () => isEnd(state),
    result() {
      if (state === 'done') return { output: value };
      return { error: error ?? endedEarlyError(name) };
    },
    ended(ending) {
      endFromOutside(ending);
      trace.end();
      const done = state === 'done' && ending.outcome === 'done';
      onEnd({
        ...stopped,
        done,
        counters,
        value,
        error: done ? undefined : (ending.error ?? error),
        messages: conversation.kept,
        calls: trace.calls,
        providerMetadata,
      });
    },
  };
}
