// Communities of a large network: each is one circle until it is opened, by a click or by zooming in.
//
// A circle stands in the middle of its variables; its area is their number, and it is tinted by how much their
// distributions changed. The edges between two circles are one line, the wider the more they are.

const groupOf = new Int32Array(n).fill(-1);
data.communities.forEach((members, i) => members.forEach(v => { groupOf[v] = i; }));
const everyGroup = () => new Set(data.communities.keys());
const hubs = data.communities.map(members => members.reduce((a, b) => (scene.degree[b] > scene.degree[a] ? b : a)));
scene.folded = data.folded && data.communities.length > 1 ? everyGroup() : new Set();

// The community that hides a variable, or -1.
const foldOf = v => (scene.only === null && view.k < NEAR && scene.folded.has(groupOf[v]) ? groupOf[v] : -1);

// The circles that are shown: community, middle and radius on the screen.
function circles(at) {
  if (scene.only !== null || view.k >= NEAR) return [];
  const share = Math.min(1, Math.sqrt(canvas.clientWidth * canvas.clientHeight) / 800);  // smaller on a phone
  return [...scene.folded].map(i => {
    const ends = data.communities[i].map(v => dotOf(at[v]));
    const [x, y] = [0, 1].map(axis => ends.reduce((sum, end) => sum + end[axis], 0) / ends.length);
    return {i, x, y, r: 6 + share * Math.min(34, 2.2 * Math.sqrt(ends.length))};
  });
}

function drawFolds(pen, at, width, height) {
  const {colours} = scene, shown = circles(at), middle = new Map(shown.map(one => [one.i, one])), counts = new Map();
  if (shown.length === 0) return;
  scene.edges.forEach(([u, v], e) => {
    const [a, b] = [foldOf(u), foldOf(v)];
    if (scene.hidden[e] || a === b) return;
    const key = [a < 0 ? `v${u}` : a, b < 0 ? `v${v}` : b].sort().join(' ');
    if (!counts.has(key)) counts.set(key, {count: 0, ends: [[a, u], [b, v]]});
    counts.get(key).count++;
  });
  for (const {count, ends} of counts.values()) {
    const line = ends.flatMap(([i, v]) => (i < 0 ? dotOf(at[v]) : [middle.get(i).x, middle.get(i).y]));
    pen.lines([line], {stroke: mix(colours.weak, colours.strong, Math.min(1, count / 12)), width: Math.min(8, Math.sqrt(count))});
  }
  const taken = shown.map(({x, y, r}) => ({x: x - r, y: y - r, w: 2 * r, h: 2 * r}));
  for (const {i, x, y, r} of shown.sort((a, b) => b.r - a.r)) {
    const members = data.communities[i], known = members.some(v => scene.findings.has(v));
    const changed = members.reduce((most, v) => Math.max(most, scene.changed[v]), 0);
    const found = scene.found !== null && members.some(v => scene.found.has(v));
    const fill = found ? mix(colours.box, colours.glow, 0.3) : mix(colours.box, colours.bar, 0.6 * changed);
    pen.rect(x - r, y - r, 2 * r, 2 * r, r, {fill, stroke: known ? colours.finding : colours.rim, width: known ? 2 : 1.5});
    pen.text(String(members.length), x, y, 11, {fill: colours.ink, anchor: 'middle'});
    const name = fitText(data.names[hubs[i]], NAME, true, 170), half = textWidth(name, NAME, true) / 2;
    const place = Math.min(width - half - 4, Math.max(half + 4, x));
    const free = [y + r + 9, y - r - 9].find(line => line < height - 9 && !taken.some(one => place - half < one.x + one.w &&
      one.x < place + half && line - 7 < one.y + one.h && one.y < line + 7));
    if (free === undefined) continue;
    taken.push({x: place - half, y: free - 7, w: 2 * half, h: 14});
    pen.text(name, place, free, NAME, {fill: colours.ink, anchor: 'middle', bold: true, halo: colours.paper});
  }
}

// The circle at a point, or null.
function hitFold(x, y) {
  const under = circles(scene.boxes.map(box => onScreen(box, view))).find(one => Math.hypot(x - one.x, y - one.y) <= one.r);
  return under ? {community: under.i} : null;
}

function openGroup(i) {
  scene.folded.delete(i);
  announce(`${data.communities[i].length} variables around ${data.names[hubs[i]]}`);
  showFold();
}

function showFold() {
  byId('fold').hidden = data.communities.length < 2;
  byId('fold').textContent = scene.folded.size ? 'Unfold' : 'Fold';
  draw();
}

byId('fold').addEventListener('click', () => {
  scene.folded = scene.folded.size ? new Set() : everyGroup();
  showFold();
});
showFold();
