import { usePlayground } from '../state/store.ts';
import { toast } from '../ui/toast.ts';
import { firstFaultOf } from './check-prompts.ts';
import { MAX_PROMPTS, readOwnPrompts } from './editable-prompt.ts';
import { usePrompts } from './store.ts';

/** The largest file that is opened, in bytes. */
const MAX_FILE_BYTES = 2_000_000;

/** Shows the prompts of a file. The user's own are kept. */
export async function openPromptFile(file: File): Promise<void> {
  const problem = await open(file);
  if (problem !== undefined) toast.error(problem, { duration: 10_000 });
}

async function open(file: File): Promise<string | undefined> {
  if (file.size > MAX_FILE_BYTES) return `${file.name} is larger than 2 MB. Split it.`;
  let value: unknown;
  try {
    value = JSON.parse((await file.text()).replace(/^\uFEFF/, ''));
  } catch (error) {
    return `${file.name} is not JSON: ${(error as Error).message}.`;
  }
  const prompts = readOwnPrompts(value);
  if (prompts === undefined) {
    const fault = firstFaultOf(value);
    if (fault !== undefined) return `${file.name} is not a prompt file: ${fault}`;
    return `${file.name} is not a prompt file. Write a list of up to ${MAX_PROMPTS} prompts, each with "id", "version", "name" and "userPrompt".`;
  }
  usePrompts.getState().replace({ prompts, selected: 0, values: usePrompts.getState().values });
  usePlayground.setState({ notice: undefined });
  // those of a first visit are not the user's own
  const isKept = usePrompts.getState().previous.length > 0;
  toast(
    `${file.name} is open.`,
    isKept
      ? {
          description: 'Your own prompts are kept.',
          action: { label: 'Restore your prompts', onClick: () => usePrompts.getState().restore() },
        }
      : {},
  );
  return undefined;
}
