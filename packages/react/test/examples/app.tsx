// #region app
import { PromptProvider } from '@cueline/react';
import type { ReactElement } from 'react';
import { DayPlanner } from './day-planner.tsx';

export function App(): ReactElement {
  return (
    <PromptProvider model="simulated:demo">
      <DayPlanner />
    </PromptProvider>
  );
}
// #endregion
