import type { ReactElement } from 'react';
import type { Feed } from './feeds.ts';

/** What a contender's component is given: it starts the answer when it is mounted, and shows its text. */
export type ContenderProps = {
  feed: Feed;
  count: number;
  /** Called in every render of the component that shows the text. */
  rendered: () => void;
};

/** A way to show an answer while it streams: a component that writes the text into a `<p>`. */
export type Contender = (props: ContenderProps) => ReactElement;
