import type { UIMessage } from 'ai';
import type { ReactElement } from 'react';
import type { Feed } from './feeds.ts';

/** The props of a contender's component. It starts the answer when it is mounted, and shows it while it arrives. */
export type ContenderProps = {
  /** The kind of the answer: text, or the arguments of a tool call as JSON. */
  kind: 'text' | 'argument';
  feed: Feed;
  pieces: readonly string[];
  /** The conversation so far, which is shown above the answer. */
  earlier: UIMessage[];
  /** Called in every render of the component that shows the answer. */
  rendered: () => void;
};

/** A component that shows an answer while it streams, as an {@link Answer} below the {@link Earlier} messages. */
export type Contender = (props: ContenderProps) => ReactElement;
