import { Refusal } from '../respond.ts';
import type { Api, Usage } from './api.ts';
import { isObject } from './body-fields.ts';
import { hasKey, hideKey, redactError } from './redact.ts';
import { dataOf } from './split-events.ts';

/** Reads what a call has cost while its answer passes. */
export type Meter = {
  /** As the provider told so far. */
  used: Usage;
  /** Whether some of these events have to be read or changed. */
  isOfInterest(events: string): boolean;
  /** An event as it is passed on: without the key; undefined for one that only we asked for. */
  readEvent(event: string): string | undefined;
  /** The same for an answer in JSON. Throws a Refusal for one that is none. */
  readAnswer(text: string): string;
};

/** A meter for one call. `hideUsage` leaves out the event of usage that the caller did not ask for. */
export function createMeter(api: Api, key: string, hideUsage: boolean): Meter {
  const used: Usage = {};

  function count(data: Record<string, unknown>): boolean {
    const told = api.usage(data);
    if (told?.input !== undefined) used.input = told.input;
    if (told?.output !== undefined) used.output = told.output;
    return told !== undefined;
  }

  return {
    used,
    // what is searched for letter by letter is found, or not, in a fraction of the time
    isOfInterest: (events) =>
      hasKey(events, key) ||
      (events.includes('"error"') && errorField.test(events)) ||
      (events.includes('"usage') && usageField.test(events)),
    readEvent(event) {
      const text = errorField.test(event) ? redactError(event, key) : hideKey(event, key);
      if (!usageField.test(text)) return text;
      const data = parse(dataOf(text) ?? '');
      if (!isObject(data)) return text;
      const told = count(data);
      const { choices } = data;
      return hideUsage && told && Array.isArray(choices) && choices.length === 0 ? undefined : text;
    },
    readAnswer(text) {
      const data = parse(text);
      if (!isObject(data)) {
        throw new Refusal('upstream_malformed', 'The provider answered with no JSON object.');
      }
      count(data);
      return hideKey(text, key);
    },
  };
}

const errorField = /"error"\s*:\s*\{/;
const usageField = /"usage(?:Metadata)?"\s*:\s*\{/;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
