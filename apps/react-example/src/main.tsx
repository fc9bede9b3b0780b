import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

createRoot(document.getElementById('root')!).render(<StrictMode>Cueline in React</StrictMode>);
