export function saveAsFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // After the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
