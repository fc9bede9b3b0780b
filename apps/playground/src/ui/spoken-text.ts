/**
 * Returns a Markdown text as a screen reader should say it: without the marks of headings, lists, links, code and
 * emphasis.
 */
export function spokenText(markdown: string): string {
  return markdown
    .slice(0, 2_000)
    .replaceAll(/```[^\n]*|~~~[^\n]*/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/gm, '')
    .replaceAll(/^[ \t]*(?:\|?[ \t]*:?-{3,}:?[ \t]*)+\|?[ \t]*$/gm, '')
    .replaceAll(/[*_~]{2,}|`|(?<![\p{L}\p{N}])[*_]|[*_](?![\p{L}\p{N}])/gu, '')
    .replaceAll(/[ \t]*\|[ \t]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
