/**
 * Selects the page's open dialogs. The editor's search is a dialog, too, and stays in the page after it has closed, so it
 * is not among them.
 */
export const openDialogs: string = '[role=dialog][data-state=open], [role=alertdialog][data-state=open]';
