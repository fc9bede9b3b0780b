/**
 * Returns a text of a model, a provider or a file for a terminal: control characters other than line ends and tabs,
 * which could clear the screen or write to the clipboard, become U+FFFD.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}

/** Returns it as one line. */
export function printableLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim());
}
