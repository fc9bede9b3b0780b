import { create } from 'zustand';
import type { CheckProblem, Preview } from '../sandbox/index.ts';
import { usePlayground } from './store.ts';

/** The first request that the script in the editor would send, without a run. */
export type ScriptPreview = {
  open: boolean;
  /** The last request that a script has made, and that script. */
  last: (Preview & { readonly script: string }) | undefined;
  /** Why the script in the editor makes no request. */
  problem: CheckProblem | undefined;
  /** True if the form of the input must be completed first. */
  needsInput: boolean;
  /** True while a script is being checked. */
  checking: boolean;
};

export const usePreview = create<ScriptPreview>()(() => ({
  open: false,
  last: undefined,
  problem: undefined,
  needsInput: false,
  checking: false,
}));

export function openPreview(open: boolean): void {
  usePreview.setState({ open });
  if (open) usePlayground.setState({ tab: 'run' });
}
