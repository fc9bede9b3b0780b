import { startPromptRun } from '../state/run-session.ts';
import { usePlayground } from '../state/store.ts';
import { toast } from '../ui/toast.ts';
import { expand, libraryOf, toInput } from './check-prompts.ts';
import { entryOf, sharedOf, usePrompts, valuesOf } from './store.ts';

/** Runs the version that is edited, with the values of the form. */
export function startPrompt(): void {
  const state = usePrompts.getState();
  const { prompt } = entryOf(state);
  const values = valuesOf(state, prompt.id);
  const known = libraryOf(prompt);
  const expansion = expand(prompt, values);
  if (known === undefined || expansion === undefined) {
    toast.error('This prompt has faults. Correct what is marked in its form, and run it again.');
    usePlayground.setState({ tab: 'editor' });
    return;
  }
  if ('problems' in expansion) {
    const [[name, message]] = [...expansion.problems] as [[string, string]];
    toast.error(`${name} ${message}.`);
    usePrompts.setState({ tab: 'preview' });
    usePlayground.setState({ tab: 'run' });
    return;
  }
  const { library, prompt: read } = known;
  const definition = library.definePrompt(`${read.id}@${read.version}`);
  usePrompts.setState({ tab: 'run' });
  startPromptRun(definition, toInput(read, values), sharedOf(state));
}
