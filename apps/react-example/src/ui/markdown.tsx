import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';

const plugins = [remarkGfm];

/** A model's text is not trusted: no HTML, and nothing loads from an address in it. */
const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener" className="underline">
      {children}
    </a>
  ),
  img: ({ alt }) => <span className="text-ink-3">[image: {alt}]</span>,
};

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown components={components} remarkPlugins={plugins} skipHtml>
        {text}
      </ReactMarkdown>
    </div>
  );
});
