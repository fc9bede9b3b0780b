import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';

/** The requests of an uninterrupted run, and a model that answers only those. */
export type RecordedRequests = {
  /** Answers the nth request with the nth turn, and notes the request. */
  first: LanguageModelV4;
  /** Answers the same requests in the same way. Any other request fails the test. */
  again: () => LanguageModelV4;
  /** What `again` was asked: the numbers of the requests, in order. */
  asked: number[];
  /** Requests that the uninterrupted run did not make. */
  unknown: string[];
};

/** Records what a run asks, to compare it with a run that is interrupted. */
export function recordRequests(turns: readonly ScriptedTurn[]): RecordedRequests {
  const requests: string[] = [];
  const asked: number[] = [];
  const unknown: string[] = [];
  const answer = (turn: ScriptedTurn): LanguageModelV4 => scriptedModel([turn], { chunkSize: 2_000 });
  const textOf = ({ prompt, toolChoice, tools }: LanguageModelV4CallOptions): string =>
    JSON.stringify({ prompt, toolChoice, tools });
  return {
    first: {
      ...scriptedModel([]),
      doStream(call) {
        requests.push(textOf(call));
        return answer(turns[requests.length - 1] ?? 'No turn is left.').doStream(call);
      },
    },
    again: () => ({
      ...scriptedModel([]),
      doStream(call) {
        const text = textOf(call);
        const index = requests.indexOf(text);
        if (index < 0) unknown.push(text);
        asked.push(index);
        return answer(turns[index] ?? 'This was not asked before.').doStream(call);
      },
    }),
    asked,
    unknown,
  };
}
