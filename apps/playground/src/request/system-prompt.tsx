import type { CompiledRequest, InstructionPart } from '@cueline/core';
import { clsx } from 'clsx';
import { memo, useMemo, useRef } from 'react';
import { useSelectable } from '../transcript/use-selectable.ts';
import { LongText } from '../ui/long-text.tsx';
import { ShowMore, useFirstItems } from '../ui/more-button.tsx';
import { EmptyText } from '../ui/section.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { DefinitionName, useDefinitionSelection } from './definition-name.tsx';
import { instructionSegments } from './instruction-segments.ts';

/** How much of one piece is drawn at first, in characters. */
const FIRST_CHARACTERS = 4_000;

/** The system prompt as it was sent, with the parts of its definitions marked. */
export const SystemPrompt = memo(function SystemPrompt({ request }: { request: CompiledRequest }) {
  const segments = useMemo(() => instructionSegments(request), [request]);
  // a prompt may have thousands of variables
  const { shown, ...more } = useFirstItems(segments, 100);
  if (segments.length === 0) return <EmptyText>This request has no system prompt.</EmptyText>;
  return (
    <div className="font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
      {shown.map(({ text, part }, index) =>
        part === undefined ? (
          <p key={index} className="py-0.5 pl-3">
            <Piece text={text} />
          </p>
        ) : (
          <MarkedPart key={index} part={part} text={text} />
        ),
      )}
      <ShowMore {...more} noun="part" />
    </div>
  );
});

function MarkedPart({ part, text }: { part: InstructionPart; text: string }) {
  const element = useRef<HTMLDivElement>(null);
  const { isSelected } = useSelectable(element, useDefinitionSelection(part.kind, part.name));
  return (
    <div
      ref={element}
      data-definition={part.name}
      data-selected={isSelected || undefined}
      className={clsx(
        'my-1 rounded-r border-l-2 bg-raised py-1 pr-2 pl-2.5 data-selected:bg-selected',
        part.kind === 'variable' ? 'border-text-kind' : 'border-thinking',
      )}
    >
      <DefinitionName kind={part.kind} name={part.name} className="w-full text-ink-2" />
      <p className="text-ink">
        <Piece text={text} />
      </p>
    </div>
  );
}

function Piece({ text }: { text: string }) {
  const visible = useMemo(() => visibleText(text), [text]);
  return <LongText text={visible} atOnce={FIRST_CHARACTERS} />;
}
