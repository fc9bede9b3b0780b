import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadEditorAfter, loadScriptEditor } from './editor/load-script-editor.ts';
import { waitForEditor } from './editor/wait-for-editor.ts';
import { keepOffline } from './layout/keep-offline.ts';
import { Transcript } from './panes/lazy-panes.tsx';
import { hasLink, watchLinks } from './share/watch-links.ts';
import { replayFirstRun } from './state/first-run.ts';
import { reportStorage, usePlayground } from './state/store.ts';
import { isNarrow } from './state/theme.ts';
import './styles.css';

// A link brings its own run; otherwise, or if the link is refused, the runs of the last visit are shown again.
const restore = !hasLink();
const { storedRuns } = usePlayground.getState();
if (restore && Object.values(storedRuns).some((id) => id !== undefined)) {
  usePlayground.setState({ restoring: true });
}

/** Begins to load the editor and its TypeScript before all else that can wait, because they take longest. */
function loadEditor(): void {
  if (usePlayground.getState().view !== 'script') return;
  // if that fails, for example without a network, the pane shows an error
  loadScriptEditor().catch(() => {});
}

async function openPage(): Promise<void> {
  // Before the first render, so that the page starts with the script of a link.
  const { opened } = await watchLinks();
  const page = usePlayground.getState();
  // on a phone, the editor shows when the user opens its tab
  const hasEditor = page.view === 'script' && !isNarrow();
  const { load } = Transcript;
  loadEditorAfter(replayFirstRun(hasEditor ? { load, until: waitForEditor } : { load }));
  loadEditor();
  // a run will be shown at once: load its components while its log is read
  if (page.restoring) load().catch(() => {});
  keepOffline(hasEditor ? waitForEditor() : Promise.resolve());
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
  // After the editor, which starts with the script that this tab remembers. Only a run of the last visit cannot wait.
  if (hasEditor && !page.restoring) await waitForEditor();
  try {
    const { restoreRuns, startHistory } = await import('./history/history.ts');
    await startHistory({ restore });
    if (!restore && !(await opened)) await restoreRuns();
  } catch {
    usePlayground.setState({ restoring: false });
    reportStorage(
      'The history of your scripts and runs could not be loaded. Reload the page, or use Share to keep a copy.',
    );
  }
}

// Not awaited: modules that are imported later wait for this file's chunk, so this file must not wait for them.
void openPage();
