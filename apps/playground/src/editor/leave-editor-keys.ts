import { isApple } from '../ui/keys.tsx';

/** The keys after which Tab moves the focus on from the editor, as Monaco binds them. */
export const leaveEditorKeys: string = isApple ? '⌃⇧M' : 'Ctrl+M';
