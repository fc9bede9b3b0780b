import { History } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';

const HistoryPanel = lazy(() => import('./history-panel.tsx'));

/** Opens the list of stored runs. */
export function HistoryButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button aria-label="History" aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(true)}>
        <History />
        <span className="narrow:hidden">History</span>
      </Button>
      <Suspense>{open && <HistoryPanel onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
