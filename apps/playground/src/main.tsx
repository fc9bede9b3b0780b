import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { hasLink, watchLinks } from './share/watch-links.ts';
import { replayFirstRun } from './state/first-run.ts';
import { keepOffline } from './state/keep-offline.ts';
import { reportStorage, usePlayground } from './state/store.ts';
import './styles.css';

// A link brings its own run; otherwise the runs of the last visit are shown again.
const restore = !hasLink();
const { storedRuns } = usePlayground.getState();
if (restore && Object.values(storedRuns).some((id) => id !== undefined)) {
  usePlayground.setState({ restoring: true });
}
// Before the first render, so that the page starts with the script of a link.
await watchLinks();
void replayFirstRun();

keepOffline();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

// After the first render: the editor starts with the script that this tab remembers, and needs no database.
import('./history/history.ts')
  .then(({ startHistory }) => startHistory({ restore }))
  .catch(() => {
    usePlayground.setState({ restoring: false });
    reportStorage(
      'What keeps your scripts and runs could not be loaded. Reload the page, or use Share to keep a copy.',
    );
  });
