/** The fields of a markdown node that are used here. */
type MarkdownNode = { type: string; value?: string; children?: MarkdownNode[] };

/** Elements for formatting text, whose tags are dropped. In capitals they are placeholders, such as `<CODE>`. */
const formatting = new Set(
  (
    'a abbr b blockquote br center cite code del div em font h1 h2 h3 h4 h5 h6 hr i iframe img ins kbd li mark ol p ' +
    'pre s samp script small span strong style sub sup svg table tbody td th thead tr u ul video'
  ).split(' '),
);
/** A tag of any name, also with attributes: Markdown takes the placeholder `<your name>` for one. */
const tag = /^<\/?([A-Za-z][\w-]*)[\s/>]/;

/** Turns a block of HTML into a paragraph with HTML in it, so that the text in its tags is markdown. */
export const withoutHtmlBlocks: { disable: { null: string[] } } = { disable: { null: ['htmlFlow'] } };

/**
 * Shows the tags and placeholders of an answer, such as `<name>…</name>`, as text: as HTML they would be invisible.
 * Changes the given tree.
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
  return name !== undefined && !formatting.has(name);
}

/** A line break beside a tag is intended. */
function inLines(text: string): MarkdownNode[] {
  return text
    .split('\n')
    .flatMap((line, index) => [
      ...(index === 0 ? [] : [{ type: 'break' }]),
      ...(line === '' ? [] : [{ type: 'text', value: line }]),
    ]);
}
