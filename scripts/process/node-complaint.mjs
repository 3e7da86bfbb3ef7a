/** One line if this version of Node is too old to run Lockyard, else null. */
export function nodeComplaint(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return null;
  return `Lockyard needs Node 20.19 or newer; this is Node ${version}. See https://nodejs.org.`;
}
