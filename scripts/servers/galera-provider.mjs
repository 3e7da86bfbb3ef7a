import { existsSync } from 'node:fs';

/** The folders in which packages install the provider; MariaDB's own package includes it. */
const FOLDERS = ['/usr/lib/galera', '/usr/lib64/galera', '/usr/lib64/galera-4'];

/** The library with which several MariaDB servers form a Galera cluster; null: not installed. */
export const galeraProvider = () =>
  FOLDERS.map((folder) => `${folder}/libgalera_smm.so`).find((path) => existsSync(path)) ?? null;
