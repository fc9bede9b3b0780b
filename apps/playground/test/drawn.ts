// What tests of components share.
import { Tooltip } from 'radix-ui';
import { act, createElement, type ReactElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll } from 'vitest';

/** A place on the page, for all tests of a file. */
export function openRoot(): { page: HTMLElement; draw(node: ReactNode): void } {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const page = document.body.appendChild(document.createElement('div'));
  const root = createRoot(page);
  afterAll(() => act(() => root.unmount()));
  return { page, draw: (node) => act(() => root.render(node)) };
}

type ValueField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Changes the value of a field as a user does, which React notices. */
export function enter(field: ValueField, value: string): void {
  act(() => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!.set!.call(field, value);
    const type = field.tagName === 'SELECT' ? 'change' : 'input';
    field.dispatchEvent(new Event(type, { bubbles: true }));
  });
}

/** An element with tooltips in it, as HTML. */
export function htmlOf(element: ReactElement): string {
  return renderToStaticMarkup(createElement(Tooltip.Provider, null, element));
}
