// The state of the page: the findings, the variable, edge or clique chosen, and the strengths of edges that are shown.
//
// Findings are a Map from variables to likelihoods of their states, at most 1; a state that is known has 1 and all
// others 0. Every change makes a new Map, so that undoing is a step back in `past`.

const byId = id => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const canvas = byId('picture'), context = canvas.getContext('2d');
const n = data.names.length, computes = Boolean(data.states);
const tree = computes ? distribution(data) : null;

const neighbours = data.names.map(() => new Map());  // of each variable: neighbour -> edge
data.edges.forEach(([u, v], e) => { neighbours[u].set(v, e); neighbours[v].set(u, e); });

const past = [new Map()];  // findings, oldest first
let now = 0;               // the index of the present ones
let logProbability = 0;
const unconditional = computes ? (tree.propagate(past[0]), tree.marginals.slice()) : null;
let kept = null;           // the bars to compare with: {marginals, findings}
let explaining = false, explainedLog = 0;
let chosen = {};           // {variable}, {edge} or {clique}
let given = 0;             // of an edge's table: 0 joint, 1 given the first variable, 2 given the second
let view = {x: 0, y: 0, k: 1};
let fitted = true;         // the view shows the whole network, also when the window changes

const scene = {
  names: data.names, states: data.states, edges: data.edges, directed: data.directed,
  isDots: scale => data.compact || !hasBars(scale), only: null,
  visible: v => (scene.only === null ? foldOf(v) < 0 : scene.only.members.has(v)),
  changed: new Float64Array(n), dim: false, meaning: data.meaning || '', most: 0,
  boxes: data.boxes.map(([x, y, w, h]) => ({x, y, w, h})),
  degree: neighbours.map(around => around.size),
  alone: v => neighbours[v].size === 0 && data.edges.length > 0,
  near: e => chosen.edge === e || data.edges[e].every(v => scene.lit.has(v)) &&
    (chosen.variable === undefined || data.edges[e].includes(chosen.variable)),
  colours: {}, ranked: false, levels: data.edges.map(() => 0.4), losing: data.edges.map(() => false),
  hidden: new Uint8Array(data.edges.length), lit: null, chosen: new Set(), found: null, pointed: -1, pinned: data.pinned,
  marginal: v => tree.marginal(v), before: null, explanation: null, findings: past[0], impossible: false,
};

// ---- findings

const likelihoodOf = (v, state) => Float64Array.from(data.states[v], (_, s) => (s === state ? 1 : 0));

function setFindings(findings) {
  if (data.fixed) return announce(data.fixed);
  past.splice(now + 1, Infinity, findings);
  now = past.length - 1;
  update();
}

function setFinding(v, likelihood) {
  const findings = new Map(past[now]);
  findings.delete(v);
  if (likelihood) findings.set(v, likelihood);
  setFindings(findings);
}

// A state becomes known, or unknown again.
function toggleState(v, state) {
  const finding = past[now].get(v);
  setFinding(v, finding && isHard(finding) && finding[state] > 0 ? null : likelihoodOf(v, state));
}

// The likelihood of a variable's states with which this state gets the probability p, whatever else is known: the odds
// change, the others keep their proportions. `q`: the distribution without the finding; null if that is certain of the
// state, which no likelihood changes.
function softFinding(q, state, p) {
  const rest = q.reduce((sum, chance, s) => (s === state ? sum : sum + chance), 0);
  if (rest === 0 || q[state] === 0) return null;
  const odds = p * rest, against = (1 - p) * q[state], top = Math.max(odds, against);
  return Float64Array.from(q, (_, s) => (s === state ? odds : against) / top);
}

function step(by) {
  if (past[now + by] === undefined) return;
  now += by;
  update();
}

function compute() {
  const findings = past[now];
  if (explaining) {
    const {log, states} = tree.explain(findings);
    explainedLog = log;
    scene.explanation = states;
  } else scene.explanation = null;
  logProbability = tree.propagate(findings);
  scene.findings = findings;
  scene.impossible = logProbability === -Infinity;
}

// By how much each distribution changed, at most 1, against the bars kept for comparison or those without findings.
function measureChanges() {
  const reference = kept ? kept.marginals : unconditional;
  for (let v = 0; v < n; v++) {
    let sum = 0;
    for (let i = tree.start[v]; i < tree.start[v + 1]; i++) sum += Math.abs(tree.marginals[i] - reference[i]);
    scene.changed[v] = scene.impossible ? 0 : sum / 2;
  }
}

function update() {
  compute();
  measureChanges();
  showFindings();
  showChosen();
  showChanges();
  byId('undo').disabled = now === 0;
  byId('redo').disabled = now === past.length - 1;
  byId('reset').disabled = past[now].size === 0;
  if (scene.impossible) announce('The findings contradict each other: their probability is zero.');
  else if (!data.fixed) announce(`Probability of the findings ${shortNumber(Math.exp(logProbability))}`);
  draw();
}

// ---- choosing

function choose(what, move = false, dim = true) {
  chosen = what;
  scene.dim = dim && Object.keys(what).length > 0;
  const {variable, edge, clique} = what;
  scene.chosen = new Set(variable !== undefined ? [variable] : []);
  if (variable !== undefined && foldOf(variable) >= 0) openGroup(foldOf(variable));
  highlight(null);
  showChosen();
  if (move && variable !== undefined) reveal(variable);
  if (variable !== undefined) announce(`${data.names[variable]}, ${neighbours[variable].size} neighbours`);
  if (edge !== undefined || clique !== undefined) byId('panel').scrollTop = 0;
}

// Highlights these variables; null: those that belong to the variable, edge or clique chosen.
function highlight(members) {
  const {variable, edge, clique} = chosen;
  scene.lit = members || (variable !== undefined ? new Set([variable, ...neighbours[variable].keys()])
    : edge !== undefined ? new Set(data.edges[edge]) : clique !== undefined ? new Set(data.cliques[clique]) : null);
  draw();
}

// Moves the picture so that a variable is seen.
function reveal(v) {
  const box = scene.boxes[v], {width, height} = canvas.getBoundingClientRect();
  const x = (box.x + box.w / 2) * view.k + view.x, y = (box.y + box.h / 2) * view.k + view.y, margin = 60;
  if (x < margin || y < margin || x > width - margin || y > height - margin) {
    pan(width / 2 - x, height / 2 - y);
  }
  draw();
}

// ---- strengths

function rankStrengths() {
  if (data.meaning && !data.strengths) data.strengths = data.edges.map(([u, v]) => tree.mutualInformation(u, v));
  if (!data.strengths) return;
  const sizes = data.strengths.map(value => Math.abs(value || 0)), top = Math.max(...sizes, 0) || 1;
  scene.ranked = true;
  scene.most = top;
  scene.levels = sizes.map(size => Math.sqrt(size / top));
  scene.losing = data.strengths.map(value => value < 0);
  byId('hiding').hidden = data.edges.length < 2;
  if (data.weak === 0) return;
  byId('weak').value = Math.round(100 * data.weak / data.edges.length);
  hideWeak();
}

function hideWeak() {
  const share = Number(byId('weak').value), count = Math.floor(share / 100 * data.edges.length);
  const order = data.strengths.map((value, e) => [value === null ? Infinity : value, e]).sort((a, b) => a[0] - b[0]);
  scene.hidden.fill(0);
  order.slice(0, count).forEach(([, e]) => { scene.hidden[e] = 1; });
  byId('hidden').textContent = share ? `${count}` : '';
  byId('weak').setAttribute('aria-valuetext', `${count} of ${data.edges.length} edges hidden`);
  draw();
}
