import type { Tool, ToolSet } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';
import { isRecord } from '../base/is-record.ts';
import { isNamedTool, type ToolList } from './tool-list.ts';
import { tool, type NamedTool } from './tool.ts';

/** Returns the tools one by one, each with its name. */
export function namedTools(tools: ToolList): NamedTool[] {
  const list = (Array.isArray(tools) ? tools : [tools]) as readonly (NamedTool | ToolSet)[];
  return list.flatMap((each) => (isNamedTool(each) ? [each] : fromToolSet(each)));
}

/** Returns the tools of the AI SDK by their names, and the others. */
export function splitTools(tools: ToolList): { ready: ToolSet; own: NamedTool[] } {
  const ready: ToolSet = {};
  const own: NamedTool[] = [];
  for (const named of namedTools(tools)) {
    if (named.ready === undefined) own.push(named);
    else ready[named.name] = named.ready;
  }
  return { ready, own };
}

/**
 * Refuses a schema in place of a tool of the AI SDK, and a tool without a schema, whose arguments would be unknown.
 * @throws CuelineError `invalid_definition`
 */
export function checkReady(name: string, ready: unknown): void {
  if (!isRecord(ready) || 'inputSchema' in ready) return;
  throw new CuelineError(
    'invalid_definition',
    '~standard' in ready
      ? `Tool ${name} is a schema, and a description is missing before it. Write tool('${name}', 'what it does', z.object({ … }), async (args) => …).`
      : `Tool ${name} has no inputSchema (in version 4 of the AI SDK, it was parameters). Write { inputSchema: z.object({ … }) }.`,
  );
}

/** @throws CuelineError `invalid_definition` for a promise, which would look like a set without tools */
function fromToolSet(tools: ToolSet): NamedTool[] {
  if (isUnawaited(tools)) {
    throw new CuelineError(
      'invalid_definition',
      'These tools are a promise. Write await before them: await mcpClient.tools().',
    );
  }
  return Object.entries(tools).map(([name, ready]) => tool(name, ready as Tool));
}
