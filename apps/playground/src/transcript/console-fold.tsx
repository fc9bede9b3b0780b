import { clsx } from 'clsx';
import { SquareTerminal } from 'lucide-react';
import { CONSOLE_LINES } from '../sandbox/limits.ts';
import { usePlayground } from '../state/store.ts';
import { plural } from '../ui/format.ts';
import { visibleText } from '../ui/visible-text.ts';
import { Fold } from './content/fold.tsx';

/** The script's console output. */
export function ConsoleFold() {
  const lines = usePlayground((state) => state.console);
  return (
    <Fold
      icon={<SquareTerminal className="size-3.5 text-ink-3" />}
      title="Console"
      hint={`${lines.length === CONSOLE_LINES ? 'the first ' : ''}${plural(lines.length, 'line')}`}
      open={false}
    >
      <pre className="scroll mt-1 max-h-60 rounded-lg border border-line bg-raised px-3 py-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
        {lines.map(({ level, text }, index) => (
          <div
            key={index}
            className={clsx(
              level === 'error' ? 'text-danger' : level === 'warn' ? 'text-warn' : 'text-ink-2',
            )}
          >
            {visibleText(text)}
          </div>
        ))}
      </pre>
    </Fold>
  );
}
