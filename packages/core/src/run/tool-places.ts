import type { ToolContext } from '../prompt/tool-definition.ts';
import type { Speaker } from './tree.ts';

const places = new WeakMap<ToolContext, Speaker>();

/** Remembers who made the call that a tool function is given this context with. */
export function placed(context: ToolContext, speaker: Speaker): ToolContext {
  places.set(context, speaker);
  return context;
}

/** Who made the call that a tool function was given this context with; undefined for any other object. */
export function speakerOf(context: ToolContext): Speaker | undefined {
  return places.get(context);
}
