import type { UIMessage } from 'ai';
import type { ReactElement } from 'react';
import type { Feed } from './feeds.ts';

/** What a contender's component is given: it starts the answer when it is mounted, and shows it while it comes. */
export type ContenderProps = {
  /** What the answer is: text, or the arguments of a tool call, as JSON. */
  kind: 'text' | 'argument';
  feed: Feed;
  pieces: readonly string[];
  /** The conversation so far, which is shown above the answer. */
  earlier: UIMessage[];
  /** Called in every render of the component that shows the answer. */
  rendered: () => void;
};

/** A way to show an answer while it streams, as an {@link Answer} below the {@link Earlier} messages. */
export type Contender = (props: ContenderProps) => ReactElement;
