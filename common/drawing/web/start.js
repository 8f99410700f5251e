// Switches, files that are saved, and the start of the page.

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
byId('zoom-in').addEventListener('click', () => zoom(1.3));
byId('zoom-out').addEventListener('click', () => zoom(1 / 1.3));
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
if (data.compact) stretch();
fitView();
new ResizeObserver(() => (fitted ? fitView() : draw())).observe(canvas);
paint();
performance.mark('bars');
