import type { ToolCallState } from '@cueline/core';
import { memo } from 'react';
import { DataView } from '../../ui/data/data-view.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { isRightToLeft, Sentence } from '../../ui/text/sentence.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** How much of the arguments is drawn while they arrive, and of an error at first, in characters. */
const MAX_CHARACTERS = 4_000;

type CallDataProps = {
  call: Partial<Pick<ToolCallState, 'input' | 'inputText' | 'output' | 'errorText'>> & { state: string };
};

/** The input of a call, also while it arrives, and its output or its error. */
export const CallData = memo(function CallData({ call }: CallDataProps) {
  const { input, inputText = '', output, errorText, state } = call;
  // a sentence of Cueline, or the words of the tool in any language
  const ErrorText = errorText !== undefined && isRightToLeft(errorText) ? LongText : Sentence;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {input === undefined ? (
        <div role="group" aria-label="Input">
          <p className="text-xs font-medium text-ink-3">Input, as it arrives</p>
          <pre className="font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
            {visibleText(inputText.slice(-MAX_CHARACTERS)) || '…'}
          </pre>
        </div>
      ) : (
        <DataView label="Input" value={input} />
      )}
      {errorText !== undefined ? (
        <div role="group" aria-label="Error" className="rounded-md bg-danger-soft px-2.5 py-1.5">
          <p className="text-xs font-medium text-danger">Error</p>
          <p className="wrap-anywhere whitespace-pre-wrap">
            <ErrorText text={visibleText(errorText)} atOnce={MAX_CHARACTERS} />
          </p>
        </div>
      ) : (
        (output !== undefined || state === 'output-available') && <DataView label="Output" value={output} />
      )}
    </div>
  );
});
