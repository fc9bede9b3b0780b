import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { connectionLabel, connectionProblem } from '../model/connection.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';

/** The model in use; opens the dialog that changes it. */
export function ModelButton() {
  const connection = usePlayground((state) => state.connection);
  const keys = usePlayground((state) => state.keys);
  const { name, detail } = connectionLabel(connection);
  const problem = connectionProblem(connection, keys);
  const isDemo = connection.kind === 'demo';
  return (
    <Button
      variant="outline"
      onClick={() => usePlayground.setState({ modelDialogOpen: true })}
      className="min-w-0 shrink!"
      data-testid="model"
    >
      <span
        aria-hidden
        className={clsx('size-1.5 shrink-0 rounded-full', problem === undefined ? 'bg-go' : 'bg-warn')}
      />
      <span className="sr-only">Model: </span>
      {/* a phone has room for one word; the page calls a simulated model simulated everywhere */}
      <span className={clsx('min-w-0 truncate', isDemo && 'narrow:sr-only')}>{name} </span>
      <span
        className={clsx(
          'truncate text-ink-3',
          isDemo ? 'narrow:text-ink narrow:capitalize' : 'narrow:hidden',
        )}
      >
        {problem === undefined ? detail : 'needs attention'}
      </span>
      {problem !== undefined && <span className="sr-only">. {problem.message}</span>}
      <ChevronDown className="text-ink-3 narrow:hidden" />
    </Button>
  );
}
