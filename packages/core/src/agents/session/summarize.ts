import { answerWithin } from '../../engine/run-agent.ts';
import type { LoopPolicy } from '../../engine/loop-policy.ts';
import type { AgentContext } from '../../tool-calls/run-context.ts';
import { checkSummary } from './compaction.ts';

const instructions = `You are given the conversation of an agent at work. Your summary will take its place, so the agent goes on with nothing but that.

Keep: the task in the user's own terms, decisions and the reasons for them, facts and exact values that were found (names, numbers, paths, ids), what has been done and must not be done again, errors and what came of them, and what is still to be done, in order.
Leave out: greetings, and anything that is of no use for the rest of the work.

Answer with the summary alone.`;

/** Asks the session's model for summaries, each as an agent of its own in the session's log. */
export function createSummarizer(
  agentContext: AgentContext,
  calls: LoopPolicy['calls'],
  abortSignal: AbortSignal,
): (transcript: string) => Promise<string> {
  let count = 0;
  return async (transcript) => {
    count += 1;
    let text: string | undefined;
    const answer = await answerWithin(agentContext, {
      name: 'summarize',
      toolCallId: `summarize-${count}`,
      input: { characters: transcript.length },
      messages: [{ role: 'user', content: transcript }],
      options: { instructions },
      policySetup: {
        options: {},
        policy: () => ({
          cause: 'session',
          ...(calls === undefined ? {} : { calls }),
          afterStep(step) {
            ({ text } = step);
            return undefined;
          },
          result: () => ({ output: text }),
        }),
      },
      tools: undefined,
      abortSignal,
    });
    return checkSummary(answer);
  };
}
