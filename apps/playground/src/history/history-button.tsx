import { History } from 'lucide-react';
import { lazyComponent } from '../panes/lazy-component.tsx';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';

const HistoryPanel = lazyComponent(() => import('./history-panel.tsx').then((it) => it.HistoryPanel));

/** Opens the list of stored runs. */
export function HistoryButton() {
  const open = usePlayground((state) => state.dialog === 'history');
  return (
    <>
      <Button
        aria-label="History"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => usePlayground.setState({ dialog: 'history' })}
      >
        <History />
        <span className="compact:hidden">History</span>
      </Button>
      {open && <HistoryPanel onClose={() => usePlayground.setState({ dialog: undefined })} />}
    </>
  );
}
