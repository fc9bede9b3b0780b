import { adaptAnswers, findOrigin } from './edited-answers.ts';
import { exampleOf, examples } from './index.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';
import { scriptedAnswers } from './scripted-answers.ts';

/**
 * The longest script that counts as an edited example, in characters: comparing a longer one would keep the page
 * busy.
 */
const MAX_EDITED_LENGTH = 40_000;

/**
 * The scripted answers to an example, as far as they fit an edited form of it. Undefined for any other script, which
 * the rule-based demo model answers.
 */
export function scriptedAnswersFor(script: string): readonly ScriptedAnswer[] | undefined {
  const example = exampleOf(script);
  if (example !== undefined) return scriptedAnswers[example.id];
  if (script.length > MAX_EDITED_LENGTH) return undefined;
  const origin = findOrigin(script, examples);
  const own = origin && scriptedAnswers[origin.id];
  return origin && own && adaptAnswers(origin.source, script, own);
}
