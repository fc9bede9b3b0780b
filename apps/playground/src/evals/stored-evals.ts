import { isSameJson } from '../input/same-json.ts';
import { freeId } from '../prompts/editable-prompt.ts';
import {
  mergeDocuments,
  readDocuments,
  type KeptDocument,
  type StoredDocuments,
} from '../state/documents/documents.ts';
import { mergeItems } from '../state/documents/merge-items.ts';
import { mergeValues } from '../state/documents/merge-values.ts';
import { readOwnEvalSettings, type EditableCase, type EvalSettings } from './eval-settings.ts';
import { sampleEval } from './sample-eval.ts';

/** Returns what identifies a case, also after its id was edited. */
export function keyOf({ key, id }: EditableCase): string {
  return key ?? id;
}

/** All ids and keys of the cases, which a new case must not have. */
export function takenIds(cases: readonly EditableCase[]): string[] {
  return cases.flatMap((one) => [one.id, keyOf(one)]);
}

/** Merges the evals of this tab into those that another one has stored, case by case. */
export function mergeEvals(
  base: StoredDocuments<EvalSettings>,
  mine: StoredDocuments<EvalSettings>,
  theirs: StoredDocuments<EvalSettings>,
): StoredDocuments<EvalSettings> {
  return mergeDocuments(base, mine, theirs, (before, own, other) => {
    const taken = takenIds([...own.cases, ...other.cases]);
    const cases = mergeItems(before?.cases ?? [], own.cases, other.cases, keyOf, (_, myCase, theirCase) => {
      // both tabs have edited this case: the other one's becomes a case of its own
      const { key: _key, ...copy } = theirCase;
      const id = freeId(`${copy.id}-copy`, taken);
      taken.push(id);
      return [myCase, { ...copy, id }];
    });
    return { ...mergeValues(before, own, other, 2), cases };
  });
}

/** Reads the stored evals; undefined if the value has none. */
export function readStoredEvals(value: unknown): StoredDocuments<EvalSettings> | undefined {
  const readContent = (content: unknown) => ({ content: readOwnEvalSettings(content) });
  return readDocuments(value, readContent) ?? readEarlierFormat(value);
}

/** The first version of the page stored the eval of a link, and the user's own as `previous`. */
function readEarlierFormat(value: unknown): StoredDocuments<EvalSettings> | undefined {
  const { settings, previous } = (value ?? {}) as Record<string, unknown>;
  const shown = readOwnEvalSettings(settings);
  if (shown === undefined) return undefined;
  const toDocument = (id: string, content: EvalSettings): KeptDocument<EvalSettings> => ({
    id,
    isOwn: !isSameJson(content, sampleEval),
    content,
  });
  const own = readOwnEvalSettings(previous);
  if (own === undefined) return { documents: [toDocument('own', shown)], shown: 'own' };
  return { documents: [toDocument('own', own), toDocument('opened', shown)], shown: 'opened' };
}
