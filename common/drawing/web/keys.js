// The keyboard, and the search for variables.

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

// The neighbour of the chosen variable that lies most in a direction; if no variable is chosen, the one with most neighbours.
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
const QUERY_KEYS = {
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
    const act = KEYS[event.key] || (computes && !data.fixed && QUERY_KEYS[event.key]);
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
  if (text && names.length === 0) list.append(make('li', 'No variable name contains this', {class: 'hint'}));
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
