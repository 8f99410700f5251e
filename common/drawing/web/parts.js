// A part of the network, shown alone: what is around a variable, above it or below it.

const closure = (v, next) => {
  const found = new Set([v]);
  for (const u of found) next(u).forEach(w => found.add(w));
  return found;
};
const parentsOf = v => [...neighbours[v]].filter(([, e]) => data.edges[e][1] === v).map(([u]) => u);
const childrenOf = v => [...neighbours[v]].filter(([, e]) => data.edges[e][0] === v).map(([u]) => u);
const PARTS = {
  'neighbours': {members: v => new Set([v, ...neighbours[v].keys()])},
  'Markov blanket': {
    directed: true, members: v => new Set([v, ...neighbours[v].keys(), ...childrenOf(v).flatMap(parentsOf)]),
  },
  'ancestors': {directed: true, members: v => closure(v, parentsOf)},
  'descendants': {directed: true, members: v => closure(v, childrenOf)},
  'surroundings (two steps)': {
    members: v => new Set([v, ...neighbours[v].keys(), ...[...neighbours[v].keys()].flatMap(u => [...neighbours[u].keys()])]),
  },
};

function showOnly(kind, v) {
  scene.only = kind ? {kind, of: v, members: PARTS[kind].members(v)} : null;
  byId('only').hidden = !kind;
  byId('only').replaceChildren(...(kind ? [`Only ${kind} of `, named(data.names[v]), ' \u00d7'] : []));
  showChosen();
  fitView();
}
