import type { StepResult, ToolSet } from 'ai';
import { CuelineError, scriptError } from '../errors.ts';
import type { Conduct, Stage } from '../run/conduct.ts';
import type { RunContext } from '../run/options.ts';
import type { Ending } from '../run/recorder.ts';
import { steadyModel } from '../run/steady-model.ts';
import { callLimits, type AgentConfig } from './agent-config.ts';
import { traceCalls } from './call-trace.ts';
import type { CallReport } from './call-report.ts';
import { exceptionWords, FINAL, interruptWords } from './call-words.ts';
import { createConversation } from './conversation.ts';
import type { OutputReader } from './read-output.ts';
import { initialCallState, isEnd, mayCall, noCounts, transition, type CallEvent } from './transitions.ts';
import { withoutCalls } from './without-calls.ts';

type Step = StepResult<ToolSet, RunContext>;

/** An answer, and what came of it. */
type Answer = { event: CallEvent; value?: unknown; fault?: string; cause?: unknown };

/**
 * Conducts one agent call: each answer is an event, the table of transitions says what follows, and what could not be
 * used leaves the conversation as soon as something can. `onEnd` is told of the end, once.
 */
export function conductCall(
  config: AgentConfig,
  reader: OutputReader,
  { speaker, messages: opening }: Stage,
  onEnd: (report: CallReport) => void = () => {},
): Conduct {
  const { name } = config;
  const limits = callLimits(config);
  const trace = traceCalls(speaker.tree.log, speaker.path);
  const conversation = createConversation(opening);
  let state = initialCallState(limits);
  let counters = noCounts;
  let stopped: Pick<CallReport, 'state' | 'event'> = { state, event: 'aborted' };
  let value: unknown;
  let error: CuelineError | undefined;
  let providerMetadata: unknown;
  let refused: string[] = [];
  /** How many calls had been made before the step. */
  let called = 0;

  function take(event: CallEvent): void {
    stopped = { state, event };
    ({ state, counters } = transition(state, event, counters, limits));
  }

  async function read(step: Step): Promise<Answer> {
    const calls = step.toolCalls.filter(({ providerExecuted }) => providerExecuted !== true);
    if (refused.length > 0 || (calls.length > 0 && !mayCall(state))) {
      const names = [...new Set(refused)].join(', ');
      return { event: 'called', fault: `it calls ${names}, and no tool can be called any more.` };
    }
    if (calls.length > 0) return { event: isAnswered(step, calls) ? 'called' : 'waiting' };
    if (step.text.trim() === '') return { event: 'silent', fault: 'it is empty.' };
    try {
      return { event: 'answered', value: await reader.parse(step.text) };
    } catch (thrown) {
      const fault = thrown instanceof Error ? thrown.message : String(thrown);
      return { event: 'unreadable', fault, cause: thrown };
    }
  }

  async function afterStep(step: Step): Promise<string | undefined> {
    const answer = await read(step);
    const { event, fault } = answer;
    take(event);
    const { messages } = step.response;
    if (state === 'done') {
      ({ value } = answer);
      ({ providerMetadata } = step);
      conversation.good(messages);
      return undefined;
    }
    if (state === 'failed') {
      error = event === 'waiting' ? nobodyAnswers(name) : unreadable(name, counters.failures, answer);
      return undefined;
    }
    if (fault === undefined) {
      const words = await afterCalls();
      conversation.good(messages, words);
      return words;
    }
    const exception = { error_message: fault, text: step.text, attempt: counters.exceptions };
    const words = await exceptionWords(name, config.onException, exception);
    // an answer that says nothing is none that could be sent back
    conversation.unusable(event === 'silent' ? [] : messages, words);
    return words;
  }

  async function afterCalls(): Promise<string | undefined> {
    const { interrupts } = counters;
    const words = await interruptWords(name, config.onInterrupt, {
      call_results: trace.calls.slice(called),
      interrupt: interrupts,
      remaining: limits.maxInterrupts - interrupts,
    });
    if (state !== 'final') return words;
    return words === undefined ? FINAL : `${words}\n\n${FINAL}`;
  }

  /** What ends a call from outside of it. */
  function interrupted({ outcome, error: given }: Ending): void {
    if (isEnd(state)) return;
    const isLimit = given?.code === 'budget_exceeded' || given?.code === 'loop_detected';
    if (outcome === 'stopped' || given?.code === 'aborted') take('aborted');
    else if (outcome === 'waiting') take('waiting');
    else take(isLimit || given === undefined ? 'limit' : 'broken');
    error ??= given ?? (outcome === 'waiting' ? nobodyAnswers(name) : undefined);
  }

  return {
    cause: 'call',
    model: (model) =>
      steadyModel(
        withoutCalls(model, {
          refuses: () => !mayCall(state),
          onRefused: (toolName) => refused.push(toolName),
        }),
        {
          secrets: speaker.tree.secrets,
          onRetry: ({ message }) =>
            speaker.sink.append({ type: 'warning', message: `The model is asked again. ${message}` }),
        },
      ),
    async beforeStep({ messages, steered }) {
      refused = [];
      called = trace.calls.length;
      const told = messages.slice(messages.length - steered);
      const sent = conversation.next(messages, told);
      return {
        ...(sent === messages ? {} : { messages: sent }),
        ...(mayCall(state) ? {} : { toolChoice: 'none' as const }),
      };
    },
    async afterStep(step) {
      try {
        return await afterStep(step);
      } catch (thrown) {
        // a handler's fault: nothing can be told to the model, so there is nothing to go on with
        take('broken');
        error = scriptError(`Agent "${name}"`, thrown);
        return undefined;
      }
    },
    done: () => isEnd(state),
    result() {
      if (state === 'done') return { output: value };
      return { error: error ?? endedEarly(name) };
    },
    ended(ending) {
      interrupted(ending);
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

/** False where a call has no result: its tool has no function here, or waits for an approval. */
function isAnswered(step: Step, calls: readonly { toolCallId: string }[]): boolean {
  const answered = new Set(
    step.content.flatMap((part) =>
      part.type === 'tool-result' || part.type === 'tool-error' ? [part.toolCallId] : [],
    ),
  );
  return calls.every(({ toolCallId }) => answered.has(toolCallId));
}

function unreadable(name: string, answers: number, { fault, cause }: Answer): CuelineError {
  return new CuelineError(
    'parse_failed',
    `Agent "${name}" gave no answer that could be used, ${answers === 1 ? 'at its only try' : `in ${answers} tries`}. The last fault: ${fault}`,
    cause === undefined ? {} : { cause },
  );
}

function nobodyAnswers(name: string): CuelineError {
  return new CuelineError(
    'script_error',
    `A tool call of agent "${name}" waits for an answer that nobody can give it. Give the tool a function; for an approval, define it with { needsApproval: true }, and the run asks for it.`,
  );
}

function endedEarly(name: string): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `The call of agent "${name}" was ended before it had an answer. Its options.stopWhen may be too narrow.`,
  );
}
