import { viaRoute, type RunStorage } from '@cueline/core';
import { PromptProvider } from '@cueline/react';
import { useMemo, type ReactElement, type ReactNode } from 'react';

type Props = { storage: RunStorage; children: ReactNode };

// #region route
const executor = viaRoute('/api/prompt'); // once, outside of components

export function OnServer({ storage, children }: Props): ReactElement {
  return (
    <PromptProvider executor={executor} persist={storage}>
      {children}
    </PromptProvider>
  );
}
// #endregion

// #region key
export function InPage({ keyOfUser, storage, children }: Props & { keyOfUser: string }): ReactElement {
  const models = useMemo(() => ({ env: { OPENAI_API_KEY: keyOfUser } }), [keyOfUser]);
  return (
    <PromptProvider model="openai:gpt-4o" models={models} persist={storage}>
      {children}
    </PromptProvider>
  );
}
// #endregion
