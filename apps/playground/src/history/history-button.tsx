import { History } from 'lucide-react';
import { useState } from 'react';
import { loadLater } from '../panes/load-later.tsx';
import { Button } from '../ui/button.tsx';

const HistoryPanel = loadLater(() => import('./history-panel.tsx').then((it) => it.HistoryPanel));

/** Opens the list of stored runs. */
export function HistoryButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button aria-label="History" aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(true)}>
        <History />
        <span className="narrow:hidden">History</span>
      </Button>
      {open && <HistoryPanel onClose={() => setOpen(false)} />}
    </>
  );
}
