import { fileURLToPath } from 'node:url';

/** The folder that holds package.json; scripts work from there, wherever they were called. */
export const projectRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
