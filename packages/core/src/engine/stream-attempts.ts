import type { StreamTextTransform, TextStreamPart, ToolSet } from 'ai';

/** Separates the attempts at a step, which the AI SDK's stream does not. */
export type StreamAttempts = {
  /** Must be the last of the transforms. */
  transform: StreamTextTransform<ToolSet>;
  /** Returns how many attempts have failed between the part before and this one, usually 0. */
  brokenBefore(part: TextStreamPart<ToolSet>): number;
};

/**
 * Creates the transform. The AI SDK recreates its transforms when it retries a stream, which shows where an attempt
 * starts.
 */
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
    brokenBefore(part) {
      const count = counts.get(part) ?? 0;
      // a model may use one object for several parts
      counts.delete(part);
      return count;
    },
  };
}
