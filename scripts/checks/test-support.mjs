const isTest = (path) => /\.(test|spec)\.tsx?$/.test(path);

/**
 * Tests, and files that only tests import: they may import through walls to set up what they need.
 */
export function testFiles(graph) {
  const importers = new Map([...graph.keys()].map((path) => [path, []]));
  for (const [path, { imports }] of graph) {
    for (const { target } of imports) importers.get(target)?.push(path);
  }
  const found = new Set([...graph.keys()].filter(isTest));
  const servesTestsOnly = (path) =>
    importers.get(path).length > 0 && importers.get(path).every((importer) => found.has(importer));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const path of graph.keys()) if (servesTestsOnly(path)) found.add(path);
  }
  return found;
}
