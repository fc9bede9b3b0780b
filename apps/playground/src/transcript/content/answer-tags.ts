/** A node of a markdown tree, as far as this reads it. */
type MarkdownNode = { type: string; value?: string; children?: MarkdownNode[] };

/** What formats a text; of these the tags say nothing, and are left out. */
const formatting = new Set(
  (
    'a abbr b blockquote br center cite code del div em font h1 h2 h3 h4 h5 h6 hr i iframe img ins kbd li mark ol p ' +
    'pre s samp script small span strong style sub sup svg table tbody td th thead tr u ul video'
  ).split(' '),
);
const tag = /^<\/?([A-Za-z_][\w.-]*)>$/;

/** Makes a paragraph with HTML in it of what would be a block of HTML, so that what stands in its tags is markdown. */
export const withoutHtmlBlocks: { disable: { null: string[] } } = { disable: { null: ['htmlFlow'] } };

/**
 * Shows the tags in which an answer stands, such as `<name>…</name>`, as what they are: as HTML they would be nowhere to
 * be seen. Changes the markdown tree that it is given.
 */
export function showAnswerTags(node: MarkdownNode): void {
  const { children } = node;
  if (children === undefined) return;
  const hasTags = children.some(isAnswerTag);
  node.children = children.flatMap((child) => {
    if (isAnswerTag(child)) return [{ type: 'inlineCode', value: child.value ?? '' }];
    if (hasTags && child.type === 'text') return inLines(child.value ?? '');
    showAnswerTags(child);
    return [child];
  });
}

function isAnswerTag({ type, value = '' }: MarkdownNode): boolean {
  const name = type === 'html' ? tag.exec(value)?.[1] : undefined;
  return name !== undefined && !formatting.has(name.toLowerCase());
}

/** Beside tags, a line that ends is meant to. */
function inLines(text: string): MarkdownNode[] {
  return text
    .split('\n')
    .flatMap((line, index) => [
      ...(index === 0 ? [] : [{ type: 'break' }]),
      ...(line === '' ? [] : [{ type: 'text', value: line }]),
    ]);
}
