/**
 * Circles of imports at run time, each as a list of paths that begins and ends with the same file.
 */
export function importCircles(graph) {
  const circles = [];
  const state = new Map();
  const trail = [];

  const visit = (path) => {
    state.set(path, 'open');
    trail.push(path);
    for (const { target, typeOnly } of graph.get(path).imports) {
      if (typeOnly || !graph.has(target)) continue;
      if (state.get(target) === 'open')
        circles.push([...trail.slice(trail.indexOf(target)), target]);
      else if (!state.has(target)) visit(target);
    }
    trail.pop();
    state.set(path, 'done');
  };

  for (const path of graph.keys()) if (!state.has(path)) visit(path);
  return circles;
}
