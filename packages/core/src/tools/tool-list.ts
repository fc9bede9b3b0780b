import type { ToolSet } from 'ai';
import { isRecord } from '../base/is-record.ts';
import type { NamedTool } from './tool.ts';

/**
 * Tools of a prompt, an agent or a session: a list of tools that `tool(…)` returned and of tool sets, or one tool
 * set. A tool set has tools of the AI SDK by their names, such as those of an MCP client.
 */
export type ToolList = readonly (NamedTool | ToolSet)[] | ToolSet;

/** True if these are tools, so that `namedTools` can read them. */
export function isToolList(tools: unknown): tools is ToolList {
  return Array.isArray(tools)
    ? tools.every((each) => isNamedTool(each) || isToolSet(each))
    : isToolSet(tools);
}

/** True for a tool that `tool(…)` returned. */
export function isNamedTool(value: unknown): value is NamedTool {
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
