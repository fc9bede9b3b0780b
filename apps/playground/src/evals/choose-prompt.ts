import { entryOf, usePrompts } from '../prompts/store.ts';
import { useEvals } from './store.ts';

/** Selects the prompt of the eval, with the version that is being edited, otherwise with its active version. */
export function choosePrompt(id: string): void {
  const { entries, selected } = usePrompts.getState();
  const own = entries.filter(({ prompt }) => prompt.id === id).map(({ prompt }) => prompt);
  const edited = entryOf({ entries, selected }).prompt;
  const version =
    edited.id === id ? edited.version : (own.find(({ status }) => status === 'active') ?? own[0])?.version;
  useEvals.getState().change({ prompt: id, versions: version === undefined ? [] : [version] });
}
