import { createElement, type ComponentType } from 'react';
import { createRoot } from 'react-dom/client';

/** The pages with one thing each, by what stands behind the # of their address. */
const pages: Record<string, () => Promise<{ default: ComponentType }>> = {
  editor: () => import('./editor.tsx'),
  stream: () => import('./stream.tsx'),
  slider: () => import('./slider.tsx'),
};

const { default: Page } = await pages[location.hash.slice(1)]!();
createRoot(document.querySelector('#root')!).render(createElement(Page));
