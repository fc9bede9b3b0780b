import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { expect, test } from 'vitest';
import { exceedsMarkdownLimits } from '../../../src/transcript/content/markdown-limits.ts';
import { ModelMarkdown } from '../../../src/transcript/content/markdown.tsx';
import { addressOf } from '../../../src/transcript/content/open-link-dialog.tsx';
import { SourceRow } from '../../../src/transcript/rows.tsx';

const html = (text: string, streaming = false): string =>
  renderToStaticMarkup(createElement(ModelMarkdown, { text, streaming }));

test.each([
  ['quotes', `${'>'.repeat(4_000)} a`],
  ['spaced quotes', `${'> '.repeat(4_000)}a`],
  ['bullets', `${'- '.repeat(4_000)}a`],
  ['numbers', `${'1. '.repeat(4_000)}a`],
  ['emphasis', `${'*a **b '.repeat(3_000)}end`],
  ['brackets', `${'['.repeat(3_000)}a`],
  ['quotes and bullets', `Text\n  ${'> - '.repeat(2_000)}a`],
])('deep %s are shown as they were written', (_name, text) => {
  expect(exceedsMarkdownLimits(text, false)).toBe(true);
  expect(html(text)).toContain('<pre');
  expect(html(text)).not.toContain('<blockquote');
});

test.each([
  [
    'a table with far wider rows than the rest',
    `${'|a'.repeat(500)}|\n${'|-'.repeat(500)}|\n${'|a|\n'.repeat(300)}`,
  ],
  ['a thousand underlined titles', 'a\n=\n'.repeat(1_000)],
  ['the same with other line ends', 'a\r=\r'.repeat(1_000)],
  ['unfinished instructions', '<?a'.repeat(2_000)],
  ['emphasis after a fence', `\`\`\`\ncode\n\`\`\`\n${'*a **b '.repeat(3_000)}end`],
  ['emphasis after what only looks like a fence', `\`\`\`a\`b\n${'*a **b '.repeat(3_000)}end`],
  ['emphasis after a list with a fence', `1. a\n   \`\`\`\n${'*a **b '.repeat(3_000)}end`],
])('%s would take seconds as markdown, and is plain text', (_name, text) => {
  expect(html(text)).toContain('<pre');
  expect(html(text)).not.toMatch(/<(?:table|h1|em|ol|code)>/);
});

test.each([
  ['a long table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(500)}`, '<table>'],
  ['a long list with a pipeline', `- a | b | c | d | e | f | g\n${'- one more\n'.repeat(200)}`, '<li>'],
  ['long code', `\`\`\`\n${'a[b] < *c | d\n'.repeat(2_000)}\`\`\`\nText`, '<code>'],
  [
    'a table below a text',
    `${'Text\n'.repeat(10)}\n${'| a '.repeat(8)}|\n${'|---'.repeat(8)}|\n| 1 |`,
    '<table>',
  ],
])('%s is everyday markdown', (_name, text, shown) => {
  expect(html(text)).toContain(shown);
});

test('a block too large to parse each frame is plain text while it grows, and a huge one stays plain', () => {
  const large = 'word '.repeat(7_000);
  expect(html(large, true)).toContain('<pre');
  expect(html(large)).not.toContain('<pre');
  expect(html('word '.repeat(21_000))).toContain('<pre');
});

test.each(['> > > a', '-'.repeat(400), `| a |\n|${'-'.repeat(200)}|\n| b |`, '- a\n  - b\n    - c'])(
  'everyday markdown is not plain text: %s',
  (text) => {
    expect(exceedsMarkdownLimits(text, true)).toBe(false);
    expect(html(text)).not.toContain('<pre');
  },
);

test('the tags of an answer are shown with their contents', () => {
  expect(html('<name>Snail</name>\n<why>It is **slow**.</why>')).toContain(
    '<p><code>&lt;name&gt;</code>Snail<code>&lt;/name&gt;</code><br/>\n<code>&lt;why&gt;</code>It is <strong>slow</strong>.<code>&lt;/why&gt;</code></p>',
  );
  // on lines of their own they would begin a block of HTML
  const lines = html('<answer>\n42\n</answer>');
  expect(lines).toContain('<code>&lt;answer&gt;</code><br/>\n42<br/>\n<code>&lt;/answer&gt;</code>');
  expect(html('`<name>` stays code')).toContain('<p><code>&lt;name&gt;</code> stays code</p>');
});

test.each([
  ['<div>Hi</div>', '<p>Hi</p>'],
  ['a<br>b', '<p>ab</p>'],
  ['<img src=x onerror=alert(1)>a', '<p>a</p>'],
  ['<script>alert(1)</script>', '<p>alert(1)</p>'],
  ['<p class="x">a</p>', '<p>a</p>'],
])('HTML is not rendered: %s', (text, shown) => {
  expect(html(text)).toContain(shown);
});

test.each(['<your name>', '<CITY>', '<CODE>', '</TABLE>', '<result score="3">', '<done/>'])(
  'a placeholder in an answer is shown: %s',
  (placeholder) => {
    const shown = placeholder.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
    expect(html(`Hi ${placeholder}!`)).toContain(`<p>Hi <code>${shown}</code>!</p>`);
  },
);

test('a long list continues its numbers', () => {
  const list = Array.from({ length: 120 }, (_, index) => `${index + 1}. item`).join('\n');
  expect(html(list).match(/<ol(?: start="\d+")?>/g)).toEqual(['<ol>', '<ol start="51">', '<ol start="101">']);
});

test('a source links only to web pages and mail addresses', () => {
  const row = (url: string): string =>
    renderToStaticMarkup(createElement(SourceRow, { title: 'Report', url }));
  expect(row('https://example.org/')).toContain('<button');
  expect(row('mailto:a@example.org')).toContain('<button');
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'vscode://open', 'file:///etc/hosts']) {
    expect(row(url)).toContain('Report');
    expect(row(url)).not.toContain('<button');
  }
});

test.each([
  ['https://evil.example/\u202emoc.koobecaf//:sptth', 'https://evil.example/%E2%80%AEmoc.koobecaf//:sptth'],
  ['https://\u0430pple.com/', 'https://xn--pple-43d.com/'],
  ['mailto:\u202eada@example.org', 'mailto:%E2%80%AEada@example.org'],
])('the address %j of a link is shown as the browser opens it', (link, address) => {
  expect(addressOf(link)).toBe(address);
});

test.each([
  'Hello',
  "Hello, Ada: it is 7 (or 8) o’clock — “perhaps” - isn't it?",
  'Ünïcode works; so do 2 numbers.',
  'Two  spaces stay',
  'http: is no address, and a.b is none either',
])('a paragraph without markup is drawn as the parser would draw it: %s', (text) => {
  const parsed = renderToStaticMarkup(createElement(Markdown, { remarkPlugins: [remarkGfm] }, text));
  expect(html(text)).toContain(`>${parsed}<`);
  expect(html(text, true)).toContain(`>${parsed}<`);
});

test.each(['see www.example.org for more', 'a *b* c', 'a _b_ c', 'mail a@example.org', 'a\n\nb'])(
  'a text with markup is parsed: %s',
  (text) => {
    expect(html(text)).not.toContain(`<p>${text}</p>`);
  },
);
