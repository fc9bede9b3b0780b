import { Play } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Keys } from '../ui/keys.tsx';
import { startPrompt } from './start-prompt.ts';

/** The content of the run tab before the first run. */
export function EmptyPromptRun() {
  return (
    <div className="grid min-h-0 flex-1 place-items-center p-6">
      <div className="w-full max-w-[400px]">
        <h3 className="text-lg font-semibold">Run this version</h3>
        <p className="mt-1 text-ink-2">
          The model gets the texts of the preview. The answer appears here as it streams, and can become a
          case of an eval.
        </p>
        <Button look="primary" onClick={startPrompt} className="mt-4 h-9 px-4">
          <Play className="fill-current" />
          Run this version
          <Keys keys={['Mod', '↵']} className="narrow:hidden" />
        </Button>
      </div>
    </div>
  );
}
