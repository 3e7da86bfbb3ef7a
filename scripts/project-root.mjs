import { fileURLToPath } from 'node:url';

/** The folder of package.json; scripts work there, wherever they are called from. */
export const projectRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
