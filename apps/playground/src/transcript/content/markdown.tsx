import { clsx } from 'clsx';
import { memo, useMemo, useState } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remend from 'remend';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { showAnswerTags, withoutHtmlBlocks } from './answer-tags.ts';
import { continuesList, toMarkdownBlocks } from './markdown-blocks.ts';
import { ModelLink } from '../model-link.tsx';
import { NotShown, PlainText } from './not-shown.tsx';
import { isTooMuch } from './too-much.ts';

/** Text of a model is hostile: no raw HTML, no picture from elsewhere, and a link only after its address was shown. */
const components: Components = {
  a: ({ href, children }) => (
    <ModelLink href={href} className="inline">
      {children}
    </ModelLink>
  ),
  img: ({ alt }) => <span className="text-ink-3">[image not loaded{alt ? `: ${alt}` : ''}]</span>,
};
const plugins = [remarkGfm, remarkAnswerTags];
/** How much of a text is read as markdown, in characters; what follows is shown as it was written. */
const LONGEST_MARKDOWN = 200_000;
/** How many blocks are drawn at first, and how many more at each press. */
const BLOCKS_AT_ONCE = 200;
/** From the distance of blocks to that of a list's items. */
const CLOSER = '-mt-[7px]';

/** A plugin of remark's: the parser's extensions are among the data of what it is called on. */
function remarkAnswerTags(this: { data(): unknown }): typeof showAnswerTags {
  const data = this.data() as { micromarkExtensions?: object[] };
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), withoutHtmlBlocks];
  return showAnswerTags;
}

const Block = memo(function Block({ text, growing }: { text: string; growing: boolean }) {
  if (isTooMuch(text, growing)) return <PlainText text={text} />;
  return (
    <Markdown components={components} remarkPlugins={plugins} skipHtml>
      {growing ? remend(text, { linkMode: 'text-only' }) : text}
    </Markdown>
  );
});

/** A model's markdown while it grows: finished blocks are rendered once, unfinished markup in the last one is closed. */
export const ModelMarkdown = memo(function ModelMarkdown({
  text,
  streaming,
}: {
  text: string;
  streaming: boolean;
}) {
  const blocks = useMemo(() => toMarkdownBlocks(text.slice(0, LONGEST_MARKDOWN)), [text]);
  const [shown, setShown] = useState(BLOCKS_AT_ONCE);
  // a text that was seen while it streamed is shown from its end, any other text from its beginning
  const [followsEnd] = useState(streaming);
  const hidden = Math.max(0, blocks.length - shown);
  const first = followsEnd ? hidden : 0;
  const rest = text.slice(LONGEST_MARKDOWN);
  const more = hidden > 0 && (
    <button
      type="button"
      className="justify-self-start text-sm text-text-kind underline narrow:min-h-11"
      onClick={() => setShown(shown + BLOCKS_AT_ONCE)}
    >
      Show more ({hidden.toLocaleString('en')} paragraphs left)
    </button>
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
      {followsEnd && more}
      {blocks.slice(first, first + shown).map((block, place) => {
        const index = first + place;
        const growing = streaming && index === blocks.length - 1;
        return (
          // Blocks are only ever added at the end, so their place is their identity.
          <div
            key={index}
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
