import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ChatDesk } from './chat-desk.tsx';
import { PromptDesk } from './prompt-desk.tsx';
import './styles.css';

const isChat = new URLSearchParams(location.search).has('chat');

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <main>
      <h1>The desk</h1>
      {isChat ? <ChatDesk /> : <PromptDesk />}
    </main>
  </StrictMode>,
);
