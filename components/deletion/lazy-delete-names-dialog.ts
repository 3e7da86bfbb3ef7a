'use client';

import dynamic from 'next/dynamic';

/** The deletion dialog, loaded when it is first opened. */
export const DeleteNamesDialog = dynamic(() =>
  import('./delete-names-dialog').then((all) => all.DeleteNamesDialog),
);
