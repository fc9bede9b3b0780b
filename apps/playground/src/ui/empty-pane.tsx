import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Keys } from './keys.tsx';

type EmptyPaneProps = {
  title: string;
  /** What will appear here. */
  text: string;
  /** The label of the button that starts it. */
  action: string;
  onStart: () => void;
  /** Beside the button. */
  beside?: ReactNode;
  children?: ReactNode;
};

/** The content of a pane before it has results: what will appear there, and the button that starts it. */
export function EmptyPane({ title, text, action, onStart, beside, children }: EmptyPaneProps) {
  return (
    <div className="scroll grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] place-items-center p-6">
      <div className="w-full max-w-[440px]">
        <h2 className="text-xl font-semibold tracking-tight">{title}</h2>
        <p className="mt-2 text-lg text-ink-2">{text}</p>
        <div className="mt-5 flex flex-wrap items-center gap-3">
          <Button variant="primary" onClick={onStart} className="h-9 px-4 text-lg">
            <Play className="fill-current" />
            {action}
            <Keys keys={['Mod', '↵']} className="narrow:hidden" />
          </Button>
          {beside}
        </div>
        {children}
      </div>
    </div>
  );
}
