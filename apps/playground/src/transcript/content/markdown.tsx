import { clsx } from 'clsx';
import QuickLRU from 'quick-lru';
import { memo, useMemo, useState, type ReactElement } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remend from 'remend';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { ShowMore } from '../../ui/more-button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ModelLink } from '../model-link.tsx';
import { showAnswerTags, withoutHtmlBlocks } from './answer-tags.ts';
import { continuesList, toMarkdownBlocks } from './markdown-blocks.ts';
import { exceedsMarkdownLimits } from './markdown-limits.ts';
import { NotShown, PlainText } from './not-shown.tsx';
import { showHidden } from './show-hidden.ts';

/**
 * A model's text is not trusted: no raw HTML, no remote images, and a link opens only after the page has shown its
 * address.
 */
const components: Components = {
  a: ({ href, children }) => (
    <ModelLink href={href} className="inline">
      {children}
    </ModelLink>
  ),
  img: ({ alt }) => <span className="text-ink-3">[image not loaded{alt ? `: ${alt}` : ''}]</span>,
};
const plugins = [remarkGfm, remarkAnswerTags, () => showHidden];
/** How much of a text is parsed as markdown, in characters; the rest is shown as plain text. */
const MAX_MARKDOWN_LENGTH = 200_000;
/** How many blocks are drawn at first, and how many more at each press. */
const BLOCKS_AT_ONCE = 200;
/** How many parsed blocks are kept, and how long each may be, in characters. */
const MAX_KNOWN = 500;
const MAX_KNOWN_LENGTH = 2_000;
/** The gap between blocks, reduced to that of a list's items. */
const CLOSER = '-mt-[7px]';

/** A remark plugin: the parser's extensions are in the data of `this`. */
function remarkAnswerTags(this: { data(): unknown }): typeof showAnswerTags {
  const data = this.data() as { micromarkExtensions?: object[] };
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), withoutHtmlBlocks];
  return showAnswerTags;
}

/** One line that begins with a letter and has no character that can mean anything in markdown. */
const plainLine = /^\p{L}[\p{L}\p{N} ,.;:?!'"’“”()–—…-]*$/u;

/** True for a paragraph that is the same with and without the parser, which costs most for a text that grows. */
function isPlainParagraph(text: string): boolean {
  // www. begins a link
  return plainLine.test(text) && !/www\./i.test(text);
}

const Block = memo(function Block({ text, growing }: { text: string; growing: boolean }) {
  if (exceedsMarkdownLimits(text, growing)) return <PlainText text={text} />;
  if (isPlainParagraph(text)) return <p>{visibleText(text)}</p>;
  return growing ? toElement(remend(text, { linkMode: 'text-only' })) : toKnownElement(text);
});

function toElement(text: string): ReactElement {
  return Markdown({ children: text, components, remarkPlugins: plugins, skipHtml: true });
}

/** A drag through a run draws the same blocks many times; each is parsed once. */
const known = new QuickLRU<string, ReactElement>({ maxSize: MAX_KNOWN });

function toKnownElement(text: string): ReactElement {
  const before = known.get(text);
  if (before !== undefined) return before;
  const element = toElement(text);
  if (text.length <= MAX_KNOWN_LENGTH) known.set(text, element);
  return element;
}

/**
 * A model's markdown while it grows: finished blocks are rendered once, and unfinished markup in the last one is
 * closed.
 */
export const ModelMarkdown = memo(function ModelMarkdown({
  text,
  streaming,
}: {
  text: string;
  streaming: boolean;
}) {
  const blocks = useMemo(() => toMarkdownBlocks(text.slice(0, MAX_MARKDOWN_LENGTH)), [text]);
  const [shown, setShown] = useState(BLOCKS_AT_ONCE);
  // a text that was streamed is shown from its end, any other text from its beginning
  const [followsEnd] = useState(streaming);
  const hidden = Math.max(0, blocks.length - shown);
  const first = followsEnd ? hidden : 0;
  const rest = text.slice(MAX_MARKDOWN_LENGTH);
  const more = (
    <ShowMore
      left={hidden}
      noun="paragraph"
      className="justify-self-start"
      onMore={() => setShown(shown + BLOCKS_AT_ONCE)}
    />
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
      {followsEnd && more}
      {blocks.slice(first, first + shown).map((block, offset) => {
        const index = first + offset;
        const growing = streaming && index === blocks.length - 1;
        return (
          // Blocks are only added at the end, so their index identifies them.
          <div
            key={index}
            // a text may be in a language that is written from right to left
            dir="auto"
            className={clsx(
              'markdown',
              growing && 'cursor-block',
              continuesList(blocks[index - 1], block) && CLOSER,
            )}
          >
            <ErrorBoundary fallback={<NotShown text={block} />}>
              <Block text={block} growing={growing} />
            </ErrorBoundary>
          </div>
        );
      })}
      {!followsEnd && more}
      {hidden === 0 && rest !== '' && <PlainText text={rest} />}
    </div>
  );
});
