import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { watchLinks } from './share/watch-links.ts';
import { replayFirstRun } from './state/first-run.ts';
import { keepOffline } from './state/keep-offline.ts';
import './styles.css';

// Before the first render, so that a link's script is the first thing to be shown.
await watchLinks();
void replayFirstRun();

keepOffline();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
