import { adaptScenes, findOrigin } from './edited-scenes.ts';
import { exampleOf, examples } from './index.ts';
import type { Scene } from './scene.ts';
import { scenes } from './turns.ts';

/** The longest script that counts as an edited example, in characters: comparing a longer one would keep the page busy. */
const LONGEST_EDITED = 40_000;

/**
 * The scripted answers to an example, as far as they fit an edited form of it. Undefined for any other script, which
 * the rule-based demo model answers.
 */
export function scenesFor(script: string): readonly Scene[] | undefined {
  const example = exampleOf(script);
  if (example !== undefined) return scenes[example.id];
  if (script.length > LONGEST_EDITED) return undefined;
  const origin = findOrigin(script, examples);
  const own = origin && scenes[origin.id];
  return origin && own && adaptScenes(origin.source, script, own);
}
