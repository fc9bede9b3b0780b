import { clsx } from 'clsx';
import { memo, useMemo } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remend from 'remend';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { showAnswerTags, withoutHtmlBlocks } from './answer-tags.ts';
import { continuesList, toMarkdownBlocks } from './markdown-blocks.ts';
import { ModelLink } from './model-link.tsx';
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
  const blocks = useMemo(() => toMarkdownBlocks(text), [text]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
      {blocks.map((block, index) => {
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
    </div>
  );
});
