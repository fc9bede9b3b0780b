import { memo, useMemo, type ComponentProps } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remend from 'remend';
import { toMarkdownBlocks } from './markdown-blocks.ts';
import { askToOpen } from './open-link-dialog.tsx';

/** Text of a model is hostile: no raw HTML, no picture from elsewhere, and a link only after its address was shown. */
const components: Components = {
  a: ({ href, children }) => <ModelLink href={href}>{children}</ModelLink>,
  img: ({ alt }) => <span className="text-ink-3">[image not loaded{alt ? `: ${alt}` : ''}]</span>,
};
const plugins = [remarkGfm];

function ModelLink({ href, children }: Pick<ComponentProps<'a'>, 'href' | 'children'>) {
  if (href === undefined || !/^(https?|mailto):/i.test(href)) return <span>{children}</span>;
  return (
    <button
      type="button"
      onClick={() => askToOpen(href)}
      className="inline text-left text-text-kind underline decoration-1 underline-offset-2"
    >
      {children}
    </button>
  );
}

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <Markdown components={components} remarkPlugins={plugins} skipHtml>
      {text}
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
    <>
      {blocks.map((block, index) => {
        const last = index === blocks.length - 1;
        return (
          // Blocks are only ever added at the end, so their place is their identity.
          <div key={index} className={last && streaming ? 'markdown cursor-block' : 'markdown'}>
            <Block text={last && streaming ? remend(block, { linkMode: 'text-only' }) : block} />
          </div>
        );
      })}
    </>
  );
});
