import { Command } from 'lucide-react';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Keys } from '../ui/keys.tsx';
import { Tip } from '../ui/tip.tsx';

/** Opens the command palette. */
export function CommandsButton() {
  return (
    <Tip
      text={
        <>
          Commands <Keys keys={['Mod', 'K']} />
        </>
      }
    >
      <Button
        square
        aria-label="Commands"
        aria-haspopup="dialog"
        onClick={() => usePlayground.setState({ commandsOpen: true })}
      >
        <Command />
      </Button>
    </Tip>
  );
}
