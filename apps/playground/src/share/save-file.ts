/** Lets the person keep a script as a file. */
export function saveScript(script: string): void {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'prompt.cueline.ts';
  link.click();
  // After the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
