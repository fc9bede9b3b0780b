import { entryOf, usePrompts } from '../prompts/store.ts';
import { useEvals } from './store.ts';

/**
 * Selects the prompt of the eval, with these versions. By default it has the version that is being edited, otherwise
 * its active version.
 */
export function choosePrompt(id: string, versions?: readonly string[]): void {
  const { entries, selected } = usePrompts.getState();
  const own = entries.filter(({ prompt }) => prompt.id === id).map(({ prompt }) => prompt);
  const edited = entryOf({ entries, selected }).prompt;
  const version =
    edited.id === id ? edited.version : (own.find(({ status }) => status === 'active') ?? own[0])?.version;
  useEvals.getState().change({ prompt: id, versions: versions ?? (version === undefined ? [] : [version]) });
}
