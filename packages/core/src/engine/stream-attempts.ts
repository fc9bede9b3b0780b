import type { StreamTextTransform, TextStreamPart, ToolSet } from 'ai';

/** Tells the attempts at a step apart, which the AI SDK's stream does not. */
export type StreamAttempts = {
  /** Has to be the last of the transforms. */
  transform: StreamTextTransform<ToolSet>;
  /** How many attempts have broken off between the part before this one and this one, as a rule 0. */
  brokenBefore(part: TextStreamPart<ToolSet>): number;
};

/** The AI SDK makes its transforms anew when it tries a stream again, so that a transform sees where an attempt begins. */
export function createStreamAttempts(): StreamAttempts {
  const counts = new WeakMap<TextStreamPart<ToolSet>, number>();
  let broken = -1;
  return {
    transform() {
      broken += 1;
      return new TransformStream({
        transform(part, controller) {
          if (broken > 0) counts.set(part, broken);
          broken = 0;
          controller.enqueue(part);
        },
      });
    },
    brokenBefore: (part) => counts.get(part) ?? 0,
  };
}
