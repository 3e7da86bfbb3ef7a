'use client';

import { lazyDialog } from '../navigation/lazy-dialog';

/** The deletion dialog, loaded when it is first opened. */
export const DeleteNamesDialog = lazyDialog(() =>
  import('./delete-names-dialog').then((all) => all.DeleteNamesDialog),
);
