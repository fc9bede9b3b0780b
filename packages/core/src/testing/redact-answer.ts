import { redact, redactDeep } from '../json/redact.ts';
import { toJson, type Recording } from './cassette-file.ts';

type Answer = Recording['answers'][number];
type Part = Answer[number] & { readonly id?: unknown; readonly delta?: unknown };
type Delta = Part & { readonly id: string; readonly delta: string };

/** A text that arrives in several parts. */
type SplitText = { text: string; first: Part; clean?: string };

/**
 * Returns the parts of an answer as JSON without keys. A model that repeats a key often streams it in pieces, none of
 * which looks like a key: a text that has one as a whole becomes its first part, and its other parts are left out.
 */
export function redactAnswer(answer: readonly unknown[], secrets: readonly string[]): Answer {
  const parts = toJson(answer) as readonly Part[];
  const texts = joinDeltas(parts);
  return parts.flatMap((part): Part[] => {
    const split = texts.get(part);
    if (split === undefined) return [redactDeep(part, secrets) as Part];
    const { delta, ...members } = part as Delta;
    const kept = redactDeep(members, secrets) as Part;
    const clean = (split.clean ??= redact(split.text, secrets));
    if (clean === split.text) return [{ ...kept, delta }];
    if (part === split.first) return [{ ...kept, delta: clean }];
    // such as the signature of reasoning, which has a part of its own
    const hasMore = Object.keys(members).some((name) => name !== 'type' && name !== 'id');
    return hasMore ? [{ ...kept, delta: '' }] : [];
  });
}

/** Returns the text of each delta. A start with the same id begins another text. */
function joinDeltas(parts: readonly Part[]): ReadonlyMap<Part, SplitText> {
  const texts = new Map<Part, SplitText>();
  const open = new Map<string, SplitText>();
  for (const part of parts) {
    const [, kind, event] = /^(.+)-(start|delta)$/.exec(part.type) ?? [];
    if (kind === undefined || typeof part.id !== 'string') continue;
    const name = `${kind} ${part.id}`;
    if (event === 'start') open.delete(name);
    else if (typeof part.delta === 'string') {
      const split = open.get(name) ?? { text: '', first: part };
      split.text += part.delta;
      open.set(name, split);
      texts.set(part, split);
    }
  }
  return texts;
}
