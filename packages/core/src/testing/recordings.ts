import { CuelineError } from '../base/errors.ts';
import { hashOf } from '../json/content-hash.ts';
import { redactDeep } from '../json/redact.ts';
import {
  readCassetteData,
  toJson,
  type CassetteData,
  type Recording,
  type UrlPatterns,
} from './cassette-file.ts';
import { redactAnswer } from './redact-answer.ts';
import { describeDifferences, similarity } from './request-difference.ts';

/** The recorded answers of a cassette, by request. */
export type Recordings = {
  /** Returns a request without keys, and the key of its recording. */
  ask(model: string, request: object): ModelRequest;
  /** Returns the next recorded answer of a request; undefined if the request goes to the model. */
  answerOf(asked: ModelRequest): Answer | undefined;
  /** Adds an answer of a model, without keys. */
  record(asked: ModelRequest, answer: readonly unknown[]): void;
  /** The URLs that a model takes as they are; undefined for a model of which this was not recorded. */
  urlsOf(model: string): UrlPatterns | undefined;
  /**
   * Keeps the URLs that a model takes as they are. Those of a model without a recording are not part of the content.
   */
  keepUrls(model: string, urls: UrlPatterns): void;
  /** True if something was recorded that was not there at the beginning. */
  readonly changed: boolean;
  toJSON(): CassetteData;
};

/** A request to a model. */
export type ModelRequest = Pick<Recording, 'key' | 'model' | 'request'>;

type Answer = Recording['answers'][number];

/** How many recordings a miss is compared with, for its message. */
const MAX_COMPARED = 2_000;

/** Creates the recordings of a cassette from its file. `secrets` returns the keys that must not get into them. */
export function createRecordings(
  data: unknown,
  mode: 'replay' | 'record' | 'extend',
  secrets: () => readonly string[],
): Recordings {
  const earlier = data === undefined || mode === 'record' ? undefined : readCassetteData(data);
  const recordings = new Map<string, ModelRequest & { answers: Answer[] }>(
    earlier?.recordings.map((recording) => [
      recording.key,
      { ...recording, answers: [...recording.answers] },
    ]),
  );
  const urls = new Map<string, UrlPatterns>(Object.entries(earlier?.supportedUrls ?? {}));
  /** How many answers of a recording were given. */
  const counts = new Map<string, number>();
  let changed = false;

  return {
    ask(model, request) {
      const clean = redactDeep(toJson(request), secrets());
      return { model, request: clean, key: hashOf([model, clean]) };
    },
    answerOf(asked) {
      const recording = recordings.get(asked.key);
      const count = counts.get(asked.key) ?? 0;
      if (recording === undefined || (mode !== 'replay' && count >= recording.answers.length)) {
        if (mode === 'replay') throw notRecordedError(asked, [...recordings.values()]);
        return undefined;
      }
      counts.set(asked.key, count + 1);
      return recording.answers[count % recording.answers.length];
    },
    record(asked, answer) {
      const recording = recordings.get(asked.key) ?? { ...asked, answers: [] };
      recording.answers.push(redactAnswer(answer, secrets()));
      recordings.set(asked.key, recording);
      counts.set(asked.key, recording.answers.length);
      changed = true;
    },
    get changed() {
      return changed;
    },
    urlsOf: (model) => urls.get(model),
    keepUrls(model, patterns) {
      urls.set(model, patterns);
    },
    toJSON() {
      const all = [...recordings.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
      const recorded = [...urls]
        .filter(([name]) => all.some(({ model }) => model === name))
        .toSorted(([one], [other]) => (one < other ? -1 : 1));
      return {
        version: 1,
        ...(recorded.length === 0 ? {} : { supportedUrls: Object.fromEntries(recorded) }),
        recordings: all,
      };
    },
  };
}

function notRecordedError({ model, request }: ModelRequest, recordings: readonly Recording[]): CuelineError {
  const rated = recordings
    .slice(0, MAX_COMPARED)
    .map((recording) => ({
      recording,
      score: similarity(recording.request, request) + (recording.model === model ? 1 : 0),
    }))
    .toSorted((one, other) => other.score - one.score);
  const nearest = rated[0]?.recording;
  const difference =
    nearest === undefined
      ? 'It is empty.'
      : nearest.model === model
        ? `The nearest recorded request differs in ${describeDifferences(nearest.request, request)}.`
        : `It has recordings of ${nearest.model}.`;
  return new CuelineError(
    'not_recorded',
    `The cassette has no answer of ${model} to this request. ${difference} Re-record it: cueline eval --record, or createCassette({ mode: 'record' }).`,
    { details: { model, ...(nearest === undefined ? {} : { nearest: nearest.key }) } },
  );
}
