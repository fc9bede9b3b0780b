import type { RequestTool } from '@cueline/core';
import { memo, useMemo, useRef, useState } from 'react';
import { useSelectable } from '../transcript/use-selectable.ts';
import { DataView } from '../ui/data/data-view.tsx';
import { LongText } from '../ui/long-text.tsx';
import { ShowMore, useFirstItems } from '../ui/more-button.tsx';
import { EmptyText } from '../ui/section.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { DefinitionName, useDefinitionSelection } from './definition-name.tsx';
import { schemaRows, type SchemaRow } from './schema-rows.ts';

/** How much of a description is drawn at first, in characters. */
const FIRST_CHARACTERS = 1_000;
/** How far an argument inside another one is indented, in pixels. */
const INDENT = 12;

/** The tools of a request, in the order in which the model gets them. */
export const ToolList = memo(function ToolList({ tools }: { tools: readonly RequestTool[] }) {
  const { shown, ...more } = useFirstItems(tools, 20);
  if (tools.length === 0) return <EmptyText>This request has no tools.</EmptyText>;
  return (
    <>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {shown.map((tool, index) => (
          <li key={index}>
            <SelectableTool tool={tool} />
          </li>
        ))}
      </ul>
      <ShowMore {...more} noun="tool" />
    </>
  );
});

function SelectableTool({ tool }: { tool: RequestTool }) {
  const element = useRef<HTMLDivElement>(null);
  const { isSelected } = useSelectable(element, useDefinitionSelection('tool', tool.name));
  return (
    <div
      ref={element}
      data-definition={tool.name}
      data-selected={isSelected || undefined}
      className="rounded-lg border border-line px-2.5 py-1.5 data-selected:border-focus data-selected:bg-selected"
    >
      <DefinitionName kind="tool" name={tool.name} className="font-medium" />
      <ToolDescription tool={tool} />
    </div>
  );
}

/** The parts of a tool that the model reads: its description, and its arguments with their types. */
export function ToolDescription({ tool: { name, description = '', inputSchema } }: { tool: RequestTool }) {
  const rows = useMemo(() => schemaRows(inputSchema), [inputSchema]);
  const [raw, setRaw] = useState(false);
  return (
    <>
      {description !== '' && (
        <p className="wrap-anywhere whitespace-pre-wrap text-ink-2">
          <LongText text={visibleText(description)} atOnce={FIRST_CHARACTERS} />
        </p>
      )}
      {rows.length === 0 ? (
        <EmptyText>No arguments.</EmptyText>
      ) : (
        <dl aria-label={`Arguments of ${visibleText(name)}`} className="mt-1 grid gap-y-1 text-sm">
          {rows.map((row, index) => (
            <Argument key={index} row={row} />
          ))}
        </dl>
      )}
      <button
        type="button"
        aria-expanded={raw}
        onClick={() => setRaw(!raw)}
        className="mt-1 min-h-6 text-sm text-ink-3 underline hover:text-ink narrow:min-h-11"
      >
        Schema
      </button>
      {raw && <DataView label={`schema of ${visibleText(name)}`} value={inputSchema} />}
    </>
  );
}

function Argument({ row: { name, type, required, description, depth } }: { row: SchemaRow }) {
  return (
    <div style={{ marginLeft: depth * INDENT }} className="min-w-0">
      <dt className="wrap-anywhere">
        <span className="font-mono">{visibleText(name)}</span>{' '}
        <span className="text-tool">{visibleText(type)}</span>
        {!required && <span className="text-ink-3"> optional</span>}
      </dt>
      {description !== undefined && (
        <dd className="wrap-anywhere text-ink-2">
          <LongText text={visibleText(description)} atOnce={FIRST_CHARACTERS} />
        </dd>
      )}
    </div>
  );
}
