import type { Transcript } from '../transcript/transcript.tsx';

/** Loads the transcript, whose Markdown is a large part of the page's code, apart from what the page is drawn with. */
export function loadTranscript(): Promise<{ default: typeof Transcript }> {
  return import('../transcript/transcript.tsx').then((it) => ({ default: it.Transcript }));
}
