import { usePlayground } from '../state/store.ts';
import { readLink } from './link.ts';

/**
 * Opens the link in the address bar, now and whenever one is pasted there. A script goes into the editor and is never
 * run; the address is cleaned, so that a reload shows what was edited since and not the link again.
 */
export function followLinks(): () => void {
  const open = (): void => {
    const opened = readLink(location.hash);
    if (opened.kind === 'none') return;
    history.replaceState(null, '', location.pathname + location.search);
    if (opened.kind === 'refused') {
      usePlayground.setState({ notice: { kind: 'refused', message: opened.message } });
      return;
    }
    usePlayground.getState().replaceScript(opened.script);
    usePlayground.setState({ notice: { kind: 'opened', from: 'link' } });
  };
  open();
  addEventListener('hashchange', open);
  return () => removeEventListener('hashchange', open);
}
