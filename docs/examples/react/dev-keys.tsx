import { proxied } from '@cueline/core/models';
import { PromptProvider } from '@cueline/react';
import type { ReactElement, ReactNode } from 'react';

// #region page
const models = proxied('/api/models');

export function Providers({ children }: { children: ReactNode }): ReactElement {
  return (
    <PromptProvider model="openai:gpt-4o-mini" models={models}>
      {children}
    </PromptProvider>
  );
}
// #endregion
