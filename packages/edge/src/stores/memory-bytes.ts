/** About what a text costs besides its characters, including its place in a list. */
const OVERHEAD = 32;

/** How many bytes of memory a text takes: engines use one for each character, or two if any is beyond Latin-1. */
export function keptBytes(text: string): number {
  return OVERHEAD + (/[^\0-\u00ff]/.test(text) ? 2 : 1) * text.length;
}
