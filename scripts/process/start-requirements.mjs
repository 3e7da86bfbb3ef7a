/** One line if this version of Node is too old to run Lockyard, else null. */
export function nodeComplaint(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return null;
  return `Lockyard needs Node 20.19 or newer; this is Node ${version}. See https://nodejs.org.`;
}

/**
 * The files that the server has open before its first caller connects, plus room for a few callers.
 */
const OPEN_FILES_MIN = 256;

/** One line if so few open files are allowed that the server could not start, else null. */
export function fileLimitComplaint(limit) {
  if (limit === null || limit >= OPEN_FILES_MIN) return null;
  return (
    `The limit on open files is ${limit}; Lockyard needs at least ${OPEN_FILES_MIN}. ` +
    'Raise it, for example with: ulimit -n 4096'
  );
}
