import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CuelineError } from '@cueline/core';
import { createPromptLibrary, type PromptRecord } from '@cueline/core/library';

/**
 * Adds a version of a prompt to a prompt file, such as the winner of `improve`. All other versions stay as they are.
 * @throws CuelineError `invalid_options` if the file has this version, or is a file of one prompt; `invalid_library`
 *
 * @example
 * const { winner } = await improve(mood, { library, reflection: 'openai:gpt-4o', budget: { runs: 200 } });
 * if (winner !== undefined) saveDraft(new URL('prompts/mood.json', import.meta.url), winner);
 */
export function saveDraft(path: string | URL, prompt: PromptRecord): void {
  const file = typeof path === 'string' ? path : fileURLToPath(path);
  const content = parse(file);
  const isList = Array.isArray(content);
  const prompts = isList ? content : (content as { prompts?: unknown }).prompts;
  if (!Array.isArray(prompts)) {
    throw new CuelineError(
      'invalid_options',
      `${file} has one prompt, and one version. Make it a list, [ { … } ], to which versions can be added.`,
    );
  }
  const records = prompts as readonly PromptRecord[];
  if (records.some(({ id, version }) => id === prompt.id && version === prompt.version)) {
    throw new CuelineError(
      'invalid_options',
      `${file} already has ${prompt.id}@${prompt.version}. Pass another version.`,
    );
  }
  const all = [...records, prompt];
  // throws what is wrong before anything is written
  createPromptLibrary(all);
  const written = isList ? all : { ...(content as object), prompts: all };
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(written, null, 2)}\n`);
  renameSync(temporary, file);
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new CuelineError(
      'invalid_options',
      `saveDraft cannot read ${file}: ${(error as Error).message}. Pass the path of a JSON file with a list of prompts.`,
    );
  }
}
