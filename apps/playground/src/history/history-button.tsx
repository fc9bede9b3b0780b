import { History } from 'lucide-react';
import { loadLater } from '../panes/load-later.tsx';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';

const HistoryPanel = loadLater(() => import('./history-panel.tsx').then((it) => it.HistoryPanel));

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
