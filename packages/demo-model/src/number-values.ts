import { fieldFor, type Hints, numberNear, toWords } from './hints.ts';
import type { Schema } from './schema.ts';

/** A number for the schema. `used` are numbers of the request that other properties have already. */
export function makeNumber(
  schema: Schema,
  integer: boolean,
  name: string,
  hints: Hints,
  used: Set<number>,
): number {
  const accept = (value: number): boolean => isValid(value, schema, integer);
  const near = numberNear(name, hints.request);
  if (near !== undefined && accept(near)) {
    used.add(near);
    return near;
  }
  const known = Number(fieldFor(name, hints.fields) ?? Number.NaN);
  if (accept(known)) return known;
  const fresh = hints.numbers.find((value) => !used.has(value) && accept(value));
  if (fresh !== undefined) {
    used.add(fresh);
    return fresh;
  }
  return [...byName(toWords(name)), 1, 0, ...fromBounds(schema, integer)].find(accept) ?? schema.minimum ?? 0;
}

function byName(words: string): number[] {
  if (/latitude|\blat\b/.test(words)) return [38.72];
  if (/longitude|\blon\b|\blng\b/.test(words)) return [-9.14];
  if (/temperature|degrees/.test(words)) return [20];
  if (/limit|count|max|size|top k/.test(words)) return [5, 3];
  if (/price|amount|budget|cost/.test(words)) return [100, 10];
  if (/year/.test(words)) return [2026];
  if (/age/.test(words)) return [30];
  if (/minutes|duration/.test(words)) return [30];
  return [];
}

function fromBounds(schema: Schema, integer: boolean): number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity);
  const high = Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity);
  const step = schema.multipleOf ?? (integer ? 1 : undefined);
  if (step !== undefined) {
    // The multiples beside each bound: one of the three is inside it, open or closed.
    const from = (bound: number): number[] =>
      Number.isFinite(bound)
        ? [
            Math.ceil(bound / step),
            Math.floor(bound / step),
            Math.ceil(bound / step) + 1,
            Math.floor(bound / step) - 1,
          ].map((count) => Number((count * step).toPrecision(15)))
        : [];
    return [step, ...from(low), ...from(high)];
  }
  if (Number.isFinite(low) && Number.isFinite(high)) return [low + (high - low) / 2, low, high];
  return Number.isFinite(low) ? [low + 1, low, low * 2] : [high - 1, high];
}

function isValid(value: number, schema: Schema, integer: boolean): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (!Number.isFinite(value) || (integer && !Number.isSafeInteger(value))) return false;
  if (minimum !== undefined && value < minimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return false;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return false;
  if (multipleOf === undefined) return true;
  const count = value / multipleOf;
  return Math.abs(count - Math.round(count)) < 1e-9;
}
