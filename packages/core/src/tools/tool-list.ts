import type { Tool, ToolSet } from 'ai';
import { isRecord } from '../base/describe-value.ts';
import { tool, type NamedTool } from './tool.ts';

/**
 * Tools of a prompt, an agent or a session: a list of tools that `tool(…)` returned and of tool sets, or one tool
 * set. A tool set has tools of the AI SDK by their names, such as those of an MCP client.
 */
export type ToolList = readonly (NamedTool | ToolSet)[] | ToolSet;

/** True if these are tools, so that {@link namedTools} can read them. */
export function isToolList(tools: unknown): tools is ToolList {
  return Array.isArray(tools)
    ? tools.every((each) => isNamedTool(each) || isToolSet(each))
    : isToolSet(tools);
}

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

function fromToolSet(tools: ToolSet): NamedTool[] {
  return Object.entries(tools).map(([name, ready]) => tool(name, ready as Tool));
}

function isNamedTool(value: unknown): value is NamedTool {
  return isRecord(value) && value['kind'] === 'tool';
}

/**
 * True for tools of the AI SDK by name. A single tool without a name is not a tool set: its description is a string.
 */
function isToolSet(value: unknown): value is ToolSet {
  return (
    isRecord(value) &&
    Object.values(value).every((each) => isRecord(each) && !isNamedTool(each)) &&
    !('inputSchema' in value && !('inputSchema' in (value['inputSchema'] as object)))
  );
}
