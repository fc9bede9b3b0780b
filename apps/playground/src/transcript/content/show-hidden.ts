import { visibleText } from '../../ui/visible-text.ts';

/** The fields of a markdown node that have text. */
type MarkdownNode = { value?: string; alt?: string | null; children?: MarkdownNode[] };

/** Shows hidden characters in the texts of an answer as escapes, such as `\u202e`. Changes the given tree. */
export function showHidden(node: MarkdownNode): void {
  const { value, alt, children = [] } = node;
  if (value !== undefined) node.value = visibleText(value);
  if (typeof alt === 'string') node.alt = visibleText(alt);
  children.forEach(showHidden);
}
