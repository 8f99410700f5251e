// The page: what is known (findings), what is chosen, and how both change by pointer and keyboard.
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
let now = 0;               // which of them holds
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
  compact: data.compact, only: null, visible: v => scene.only === null || scene.only.members.has(v),
  changed: new Float64Array(n), dim: false, meaning: data.meaning || '', most: 0,
  boxes: data.boxes.map(([x, y, w, h]) => ({x, y, w, h})),
  degree: neighbours.map(around => around.size),
  alone: v => neighbours[v].size === 0 && data.edges.length > 0,
  near: e => chosen.edge === e || data.edges[e].every(v => scene.lit.has(v)) &&
    (chosen.variable === undefined || data.edges[e].includes(chosen.variable)),
  colours: {}, ranked: false, levels: data.edges.map(() => 0.4), losing: data.edges.map(() => false),
  hidden: new Uint8Array(data.edges.length), lit: null, chosen: new Set(), found: null, pointed: -1,
  marginal: v => tree.marginal(v), before: null, explanation: null, findings: past[0], impossible: false,
};

// ---- findings

const likelihoodOf = (v, state) => Float64Array.from(data.states[v], (_, s) => (s === state ? 1 : 0));

function setFindings(findings) {
  if (data.fixed) return say(data.fixed);
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
  if (scene.impossible) say('The findings contradict each other: their probability is zero.');
  else if (!data.fixed) say(`Probability of the findings ${shortNumber(Math.exp(logProbability))}`);
  draw();
}

// ---- choosing

function choose(what, move = false, dim = true) {
  chosen = what;
  scene.dim = dim && Object.keys(what).length > 0;
  const {variable, edge, clique} = what;
  scene.chosen = new Set(variable !== undefined ? [variable] : []);
  light(null);
  showChosen();
  if (move && variable !== undefined) reveal(variable);
  if (variable !== undefined) say(`${data.names[variable]}, ${neighbours[variable].size} neighbours`);
  if (edge !== undefined || clique !== undefined) byId('panel').scrollTop = 0;
}

// Lights up these variables; null: those that belong to what is chosen.
function light(members) {
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
  if (data.meaning && !data.strengths) data.strengths = data.edges.map(([u, v]) => tree.information(u, v));
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

// ---- view

let waiting = false;

function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(paint);
}

function paint() {
  waiting = false;
  const {width, height} = canvas.getBoundingClientRect(), dense = window.devicePixelRatio || 1;
  const across = Math.round(width * dense), down = Math.round(height * dense);
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, {width: across, height: down});
  context.setTransform(dense, 0, 0, dense, 0, 0);
  context.clearRect(0, 0, width, height);
  const pen = new CanvasPen(context);
  drawNetwork(pen, scene, view, width, height);
  drawLegend(pen, scene, width, height);
}

function extent() {
  const boxes = scene.boxes.filter((_, v) => scene.visible(v));
  return {
    left: Math.min(...boxes.map(box => box.x)), right: Math.max(...boxes.map(box => box.x + box.w)),
    top: Math.min(...boxes.map(box => box.y)), bottom: Math.max(...boxes.map(box => box.y + box.h)),
  };
}

// Dots have no width, so a large network may be stretched to the form of the window.
function stretch() {
  const {left, right, top, bottom} = extent(), {width, height} = canvas.getBoundingClientRect();
  const wanted = Math.max(0.5, (width - 120) / Math.max(1, height - 80)), is = (right - left) / Math.max(1, bottom - top);
  const along = Math.min(30, Math.max(1, wanted / is)), down = Math.min(30, Math.max(1, is / wanted));
  for (const box of scene.boxes) Object.assign(box, {x: box.x * along, y: box.y * down});
}

function fitView() {
  const {left, right, top, bottom} = extent(), {width, height} = canvas.getBoundingClientRect(), margin = 24;
  const room = height - byId('zoom').offsetHeight - margin;  // the buttons stand below the network
  const k = Math.min((width - 2 * margin) / (right - left), (room - margin) / (bottom - top), 1.4);
  view = {k, x: width / 2 - k * (left + right) / 2, y: (margin + room) / 2 - k * (top + bottom) / 2};
  fitted = true;
  draw();
}

function pan(dx, dy) {
  view = {k: view.k, x: view.x + dx, y: view.y + dy};
  fitted = false;
  draw();
}

function zoom(factor, x, y) {
  const {width, height} = canvas.getBoundingClientRect(), k = Math.min(5, Math.max(0.02, view.k * factor));
  x = x === undefined ? width / 2 : x;
  y = y === undefined ? height / 2 : y;
  view = {k, x: x - (x - view.x) * k / view.k, y: y - (y - view.y) * k / view.k};
  fitted = false;
  draw();
}

function zoomTo(v) {
  const box = scene.boxes[v], {width, height} = canvas.getBoundingClientRect(), k = Math.max(view.k, 1.1);
  view = {k, x: width / 2 - (box.x + box.w / 2) * k, y: height / 2 - (box.y + box.h / 2) * k};
  fitted = false;
  draw();
}

// ---- pointer

function hit(x, y) {
  const {width, height} = canvas.getBoundingClientRect();
  const dot = scene.compact ? hitDot(scene, view, width, height, x, y) : null;
  if (dot) return dot;
  for (let v = n - 1; v >= 0 && !scene.compact; v--) {
    if (!scene.visible(v)) continue;
    const box = onScreen(scene.boxes[v], view);
    const slack = Math.max(0, (14 - box.h) / 2);
    if (x < box.x - slack || y < box.y - slack || x > box.x + box.w + slack || y > box.y + box.h + slack) continue;
    if (computes && hasRows(view.k)) {
      const s = Math.floor(((y - box.y) / view.k - TITLE) / ROW), count = data.states[v].length;
      const bar = () => barOf(scene, box, v, s, view.k);
      if (s >= 0 && s < (count > ROWS ? ROWS - 1 : count)) return {variable: v, state: s, bar: bar()};
    }
    return {variable: v};
  }
  let best = {}, least = 7;
  data.edges.forEach(([u, v], e) => {
    if (scene.hidden[e] || !scene.visible(u) || !scene.visible(v)) return;
    const [[ax, ay], [bx, by]] = [u, v].map(end => (scene.compact ? dotOf : centre)(onScreen(scene.boxes[end], view)));
    const dx = bx - ax, dy = by - ay, along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
    const share = Math.min(1, Math.max(0, along)), far = Math.hypot(x - ax - share * dx, y - ay - share * dy);
    if (far < least) [least, best] = [far, {edge: e}];
  });
  return best;
}

const pointers = new Map();
let press = null;  // of the first pointer: where, on what, and whether it moved

function position(event) {
  const {left, top} = canvas.getBoundingClientRect();
  return {x: event.clientX - left, y: event.clientY - top};
}

canvas.addEventListener('pointerdown', event => {
  const at = position(event), what = hit(at.x, at.y);
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, at);
  press = pointers.size === 1 ? {at, what, moved: false} : null;
});

canvas.addEventListener('pointermove', event => {
  const at = position(event), last = pointers.get(event.pointerId);
  if (!last) {
    const what = hit(at.x, at.y), before = scene.pointed;
    canvas.classList.toggle('pointing', what.variable !== undefined || what.edge !== undefined);
    scene.pointed = what.variable === undefined ? -1 : what.variable;
    if (before !== scene.pointed) draw();
    return;
  }
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const apart = point => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    zoom(apart(at) / apart(last), (at.x + other.x) / 2, (at.y + other.y) / 2);
    pan((at.x - last.x) / 2, (at.y - last.y) / 2);
  } else if (press) {
    if (!press.moved && Math.hypot(at.x - press.at.x, at.y - press.at.y) < 5) return;
    if (!press.moved && press.what.state !== undefined && press.at.x > press.what.bar.x - 4) {
      press = null;
      const {variable, state, bar} = hit(last.x, last.y), {left} = canvas.getBoundingClientRect();
      if (chosen.variable !== variable) choose({variable}, false, false);
      dragBar(event, variable, state, () => ({left: left + bar.x, width: bar.w}));
      return;
    }
    press.moved = true;
    const {variable, state} = press.what;
    if (variable !== undefined && state === undefined) {
      scene.boxes[variable].x += (at.x - last.x) / view.k;
      scene.boxes[variable].y += (at.y - last.y) / view.k;
    } else {
      pan(at.x - last.x, at.y - last.y);
    }
    draw();
  }
  pointers.set(event.pointerId, at);
});

function release(event) {
  pointers.delete(event.pointerId);
  if (!press || press.moved || event.type === 'pointercancel') return;
  const {variable, state, edge} = press.what;
  press = null;
  if (variable !== undefined && chosen.variable !== variable) choose({variable}, false, state === undefined);
  else if (edge !== undefined) choose({edge});
  else if (variable === undefined) choose({});
  if (state !== undefined) toggleState(variable, state);
}

canvas.addEventListener('pointerup', release);
canvas.addEventListener('pointercancel', release);
canvas.addEventListener('pointerleave', () => {
  if (scene.pointed >= 0) draw();
  scene.pointed = -1;
});
canvas.addEventListener('dblclick', event => {
  const {variable, state} = hit(position(event).x, position(event).y);
  if (variable !== undefined && state === undefined) zoomTo(variable);
});
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const at = position(event), lines = event.deltaMode === 1 ? 30 : 1;
  zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), at.x, at.y);
}, {passive: false});

// A soft finding: while the pointer is down, the state's probability follows it. A click that does not move makes the
// state known. `where` gives the place of the bar.
function dragBar(event, v, s, where) {
  if (data.fixed) return say(data.fixed);
  const others = new Map(past[now]), from = event.clientX;
  const steps = past.slice(0, now + 1);
  others.delete(v);
  if (tree.propagate(others) === -Infinity) return void update();
  const q = tree.marginal(v).slice();
  let moved = event.type === 'pointermove', waits = null;
  const follow = () => {
    const {left, width} = where(), p = Math.min(1, Math.max(0, (waits - left) / width));
    waits = null;
    past.splice(0, Infinity, ...steps);
    now = steps.length - 1;
    const likelihood = softFinding(q, s, p < 0.005 ? 0 : p > 0.995 ? 1 : p);
    if (likelihood) setFinding(v, likelihood);
    else say(`${data.states[v][s]} has probability ${q[s]} by the other findings; a soft finding cannot change that.`);
  };
  const move = next => {
    moved = moved || Math.abs(next.clientX - from) > 4;
    if (!moved) return;
    if (waits === null) requestAnimationFrame(() => waits !== null && follow());
    waits = next.clientX;
  };
  const end = next => {
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', end);
    window.removeEventListener('pointercancel', end);
    pointers.clear();
    if (waits !== null) follow();
    if (!moved && next.type === 'pointerup') toggleState(v, s);
  };
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', end);
  window.addEventListener('pointercancel', end);
  if (moved) move(event);
}

// ---- keyboard

function keyOnBar(event, v, s) {
  if (data.fixed) return;
  const by = {ArrowRight: 0.05, ArrowUp: 0.05, ArrowLeft: -0.05, ArrowDown: -0.05}[event.key];
  if (by === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const p = tree.marginal(v)[s], others = new Map(past[now]);
  others.delete(v);
  if (tree.propagate(others) === -Infinity) return void update();
  const likelihood = softFinding(tree.marginal(v).slice(), s, Math.min(0.99, Math.max(0.01, p + by)));
  if (likelihood) setFinding(v, likelihood);
}

// The neighbour of the chosen variable that lies most in a direction; without one, the variable in the middle.
function walk(dx, dy) {
  const middle = v => centre(scene.boxes[v]);
  if (chosen.variable === undefined) return choose({variable: scene.degree.indexOf(Math.max(...scene.degree))}, true);
  const [x, y] = middle(chosen.variable);
  let best = -1, least = Infinity;
  for (const v of neighbours[chosen.variable].keys()) {
    const ax = middle(v)[0] - x, ay = middle(v)[1] - y, ahead = ax * dx + ay * dy, aside = Math.abs(ax * dy - ay * dx);
    if (ahead > 0 && ahead + 2 * aside < least) [least, best] = [ahead + 2 * aside, v];
  }
  if (best >= 0) choose({variable: best}, true);
}

const clickOn = id => () => byId(id).click();
const KEYS = {
  '/': () => byId('search').focus(), '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(0.8), 0: fitView,
  Enter: () => chosen.variable !== undefined && zoomTo(chosen.variable), Escape: () => choose({}), '?': clickOn('help'),
};
const ASKING_KEYS = {
  u: () => step(-1), U: () => step(1), r: clickOn('reset'), c: clickOn('compare'), m: clickOn('explain'),
};

document.addEventListener('keydown', event => {
  const arrow = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
  const inPicture = document.activeElement === canvas || document.activeElement === document.body;
  if (document.activeElement.matches('#search, select')) return;
  if ((event.ctrlKey || event.metaKey) && computes && 'zy'.includes(event.key.toLowerCase())) {
    step(event.key.toLowerCase() === 'y' || event.shiftKey ? 1 : -1);
  } else if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  } else if (arrow && inPicture) {
    if (event.shiftKey) {
      pan(-60 * arrow[0], -60 * arrow[1]);
    } else walk(...arrow);
  } else if (/^[1-9]$/.test(event.key) && computes && chosen.variable !== undefined) {
    if (data.states[chosen.variable][event.key - 1] !== undefined) toggleState(chosen.variable, event.key - 1);
  } else {
    const act = KEYS[event.key] || (computes && !data.fixed && ASKING_KEYS[event.key]);
    if (!act || (event.key === 'Enter' && !inPicture)) return;
    act();
  }
  event.preventDefault();
});

// ---- search

function search() {
  const text = byId('search').value.trim().toLowerCase(), list = byId('found');
  const names = data.names.map((name, v) => [name.toLowerCase().indexOf(text), v]).filter(([at]) => text && at >= 0);
  const later = ([at, v]) => [Math.min(at, 1), data.names[v].length, v];  // beginnings first, then short names
  names.sort((a, b) => later(a).map((value, i) => value - later(b)[i]).find(Boolean) || 0);
  scene.found = text ? new Set(names.map(([, v]) => v)) : null;
  list.replaceChildren(...names.slice(0, 9).map(([, v], i) => {
    const attributes = {role: 'option', id: `found-${i}`, 'aria-selected': i === 0, 'data-variable': v};
    const item = make('li', named(data.names[v]), attributes);
    item.addEventListener('pointerdown', event => { event.preventDefault(); pick(v); });
    return item;
  }));
  if (text && names.length === 0) list.append(make('li', 'No variable has this in its name', {class: 'hint'}));
  list.hidden = !text;
  byId('search').setAttribute('aria-expanded', Boolean(text));
  pointTo(0);
  draw();
}

function pointTo(i) {
  const items = [...byId('found').querySelectorAll('[role="option"]')];
  items.forEach((item, k) => item.setAttribute('aria-selected', k === i));
  if (items[i]) byId('search').setAttribute('aria-activedescendant', items[i].id);
  else byId('search').removeAttribute('aria-activedescendant');
}

function pick(v) {
  byId('search').value = '';
  search();
  canvas.focus();
  choose({variable: v});
  zoomTo(v);
}

byId('search').addEventListener('input', search);
byId('search').addEventListener('blur', () => { byId('found').hidden = true; });
byId('search').addEventListener('keydown', event => {
  const items = [...byId('found').querySelectorAll('[role="option"]')];
  const at = items.findIndex(item => item.getAttribute('aria-selected') === 'true');
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    if (items.length) pointTo((at + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length);
  } else if (event.key === 'Enter' && items[at]) pick(Number(items[at].dataset.variable));
  else if (event.key === 'Escape') {
    byId('search').value = '';
    search();
    canvas.focus();
  }
});

// ---- switches

function toggle(id, on) {
  byId(id).setAttribute('aria-pressed', on);
}

byId('compare').addEventListener('click', () => {
  kept = kept ? null : {marginals: tree.marginals.slice(), findings: past[now]};
  scene.before = kept && (v => kept.marginals.subarray(tree.start[v], tree.start[v + 1]));
  toggle('compare', Boolean(kept));
  update();
});
byId('explain').addEventListener('click', () => {
  explaining = !explaining;
  toggle('explain', explaining);
  update();
});
byId('undo').addEventListener('click', () => step(-1));
byId('redo').addEventListener('click', () => step(1));
byId('reset').addEventListener('click', () => past[now].size && setFindings(new Map()));
byId('weak').addEventListener('input', hideWeak);
byId('closer').addEventListener('click', () => zoom(1.3));
byId('farther').addEventListener('click', () => zoom(1 / 1.3));
byId('fit').addEventListener('click', fitView);
byId('only').addEventListener('click', () => showOnly('', -1));
byId('menu').addEventListener('click', () => {
  const open = document.body.classList.toggle('menu');
  byId('menu').setAttribute('aria-expanded', open);
});
byId('help').addEventListener('click', () => {
  byId('keys').hidden = !byId('keys').hidden;
  byId('help').setAttribute('aria-expanded', !byId('keys').hidden);
});

const dark = window.matchMedia('(prefers-color-scheme: dark)');

const theme = () => document.documentElement.dataset.theme;

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  scene.colours = readColours();
  draw();
}

dark.addEventListener('change', () => setTheme(dark.matches ? 'dark' : 'light'));
byId('theme').addEventListener('click', () => setTheme(theme() === 'dark' ? 'light' : 'dark'));

// ---- export

function save(name, type, text) {
  const link = make('a', '', {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const stem = data.title.replace(/\.[^.]*$/, '') || 'network';

// The whole network at full size, in light colours.
function svgPicture() {
  const {left, right, top, bottom} = extent(), margin = 20, before = theme();
  const width = right - left + 2 * margin, height = bottom - top + 2 * margin;
  setTheme('light');
  const pen = new SvgPen(width, height);
  drawNetwork(pen, scene, {k: 1, x: margin - left, y: margin - top}, width, height);
  setTheme(before);
  return pen.root;
}

function csvText() {
  const quote = text => (/[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replace(/"/g, '""')}"` : text);
  const more = [...(kept ? ['before'] : []), ...(scene.explanation ? ['explanation'] : [])];
  const lines = [['variable', 'state', 'probability', ...more]];
  data.names.forEach((name, v) => data.states[v].forEach((label, s) => {
    const best = scene.explanation && scene.explanation[v] === s;
    const columns = {before: kept && scene.before(v)[s], explanation: Number(best)};
    const p = scene.impossible ? '' : tree.marginal(v)[s];
    lines.push([quote(name), quote(label), p, ...more.map(column => columns[column])]);
  }));
  return lines.map(line => line.join(',') + '\n').join('');
}

byId('svg').addEventListener('click', () => {
  save(`${stem}.svg`, 'image/svg+xml', new XMLSerializer().serializeToString(svgPicture()));
});
byId('csv').addEventListener('click', () => save(`${stem}-probabilities.csv`, 'text/csv', csvText()));
byId('print').addEventListener('click', () => window.print());
let screenTheme = 'light';
window.addEventListener('beforeprint', () => {
  screenTheme = theme();
  byId('sheet').replaceChildren(svgPicture());
  byId('about').open = true;
  setTheme('light');
});
window.addEventListener('afterprint', () => {
  byId('sheet').replaceChildren();
  setTheme(screenTheme);
});

// ---- start

document.title = data.title;
document.body.classList.toggle('plain', !computes);
document.body.classList.toggle('fixed', Boolean(data.fixed));
byId('title').textContent = data.title;
const counted = (count, thing) => `${count} ${thing}${count === 1 ? '' : 's'}`;
byId('size').textContent = `${counted(n, 'variable')}, ${counted(data.edges.length, 'edge')}`;
const lines = data.header.flatMap(([key, value]) => [make('dt', named(key)), make('dd', named(value))]);
byId('about').querySelector('dl').append(...lines);
byId('about').hidden = data.header.length === 0;
setTheme(dark.matches ? 'dark' : 'light');
rankStrengths();
if (computes) {
  data.findings.forEach(([v, likelihood]) => past[0].set(v, Float64Array.from(likelihood)));
  update();
}
if (scene.compact) stretch();
fitView();
new ResizeObserver(() => (fitted ? fitView() : draw())).observe(canvas);
paint();
performance.mark('bars');
