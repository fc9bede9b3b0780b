import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { followLinks } from './share/open-link.ts';
import { flushStorage } from './state/store.ts';
import './styles.css';

// Before the first render, so that a link's script is the first thing to be shown.
followLinks();
// A script is stored a moment after the last keystroke, which a closing page does not have.
addEventListener('pagehide', flushStorage);
addEventListener('visibilitychange', flushStorage);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
