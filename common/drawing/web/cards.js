// Large networks, and small ones zoomed out: a dot for each variable, its name beside it, and its bars on a card, if it
// is chosen or under the pointer.
//
// Dots and names keep their size on the screen, so zooming in makes room for more names: those with most neighbours
// come first, and a name that would lie over another is left out. Closer, each name has a strip of its probabilities.

const NAME = 12, NEAR = 1.15, LINE = 15;  // size of names; the scale from which on there are strips; height of a name

const dotRadius = scale => Math.max(2.5, Math.min(6, 5 * scale));

// Where the edges of a variable end: the dot is at the left end of its box.
const dotOf = box => [box.x + Math.min(8, box.w / 2), box.y + box.h / 2];

function drawDots(pen, scene, at, shown, view, width, height) {
  const {colours, findings, lit} = scene, taken = [], r = dotRadius(view.k);
  const cards = scene.states ? new Set([...scene.pinned, scene.pointed, ...scene.chosen]) : [];
  const order = at.map((_, v) => v).filter(v => shown[v] && scene.visible(v) && !(scene.states && scene.pinned.includes(v)));
  const first = v => scene.chosen.has(v) || v === scene.pointed || scene.found !== null && scene.found.has(v);
  const rank = v => 8e6 * first(v) + 4e6 * findings.has(v) + 2e6 * (lit !== null && lit.has(v)) +
    1e5 * scene.changed[v] + scene.degree[v];
  order.sort((a, b) => rank(b) - rank(a));
  for (const v of order) {
    const [x, y] = dotOf(at[v]), known = findings.has(v), glows = lit !== null && lit.has(v);
    const fill = known ? colours.finding : mix(mix(colours.paper, colours.rim, 0.75), colours.bar, scene.changed[v]);
    const rim = scene.chosen.has(v) ? colours.ink : glows ? colours.glow : colours.paper;
    pen.rect(x - r, y - r, 2 * r, 2 * r, r, {fill, stroke: rim, width: scene.chosen.has(v) || glows ? 2 : 1});
    taken.push({x: x - r, y: y - r, w: 2 * r, h: 2 * r, own: v});
  }
  const near = scene.states && view.k >= NEAR;
  for (const v of order.slice(0, 1500)) {
    const [x, y] = dotOf(at[v]), bold = first(v) || findings.has(v);
    const name = fitText(scene.names[v], NAME, bold, 170), w = textWidth(name, NAME, bold), h = near ? LINE + 6 : LINE;
    const places = [[x + r + 3, y], [x - r - 3 - w, y], [x - w / 2, y + r + LINE / 2 + 1], [x - w / 2, y - r - LINE / 2 - 1]];
    const free = ([left, middle]) => left >= 2 && left + w <= width - 2 && !taken.some(one => one.own !== v && left < one.x + one.w && one.x < left + w &&
      middle - LINE / 2 < one.y + one.h && one.y < middle - LINE / 2 + h);
    const [left, middle] = places.find(free) || (first(v) ? places[0] : []);
    if (left === undefined) continue;
    taken.push({x: left, y: middle - LINE / 2, w, h, own: -1});
    const ink = findings.has(v) ? colours.finding : lit === null || lit.has(v) || !scene.dim ? colours.ink : colours.soft;
    pen.text(name, left, middle, NAME, {fill: ink, bold, halo: colours.paper});
    if (near) drawStrip(pen, scene, v, left, middle + LINE / 2, Math.max(w, 40), 4);
  }
  for (const v of cards) {
    if (v >= 0 && shown[v] && scene.visible(v)) drawBox(pen, scene, cardOf(scene, v, view, width, height), v, 1);
  }
}

// All states in one strip, from dark to pale.
function drawStrip(pen, scene, v, x, y, w, h) {
  const {colours} = scene, p = scene.marginal(v), base = scene.findings.has(v) ? colours.finding : colours.bar;
  pen.rect(x, y, w, h, 0, {fill: colours.track});
  if (scene.impossible) return;
  for (let s = 0, from = x; s < p.length; s++) {
    const shade = p.length > 1 ? s / (p.length - 1) * 0.82 : 0;
    if (p[s] * w > 0.3) pen.rect(from, y, p[s] * w, h, 0, {fill: mix(base, colours.track, shade)});
    from += p[s] * w;
  }
}

// The card of a variable on the screen: right of its dot and below its name, or where there is room.
function cardOf(scene, v, view, width, height) {
  const [x, y] = dotOf(onScreen(scene.boxes[v], view)), labels = scene.states[v];
  const widest = Math.max(...labels.map(label => textWidth(label, 11, false)), 0);
  const w = Math.min(260, Math.max(150, 20 + textWidth(scene.names[v], 12.5, true), 110 + widest));
  const h = TITLE + ROW * Math.min(labels.length, ROWS) + 6;
  const left = x + 12 + w < width ? x + 12 : Math.max(4, x - 12 - w);
  return {x: left, y: Math.max(4, Math.min(y + 10, height - h - 56)), w, h};  // above the buttons
}

// The object at a point: a state on the card of a chosen variable, or the nearest dot or name.
function hitDot(scene, view, width, height, x, y) {
  for (const v of scene.states ? new Set([...scene.chosen, ...scene.pinned]) : []) {
    const box = cardOf(scene, v, view, width, height);
    if (x < box.x || y < box.y || x > box.x + box.w || y > box.y + box.h) continue;
    const s = Math.floor((y - box.y - TITLE) / ROW), count = scene.states[v].length;
    if (s >= 0 && s < (count > ROWS ? ROWS - 1 : count)) return {variable: v, state: s, bar: barOf(scene, box, v, s, 1)};
    return {variable: v};
  }
  let best = null, least = 12;
  scene.boxes.forEach((box, v) => {
    if (!scene.visible(v)) return;
    const [dotX, dotY] = dotOf(onScreen(box, view)), name = Math.min(textWidth(scene.names[v], NAME, false), 170) + 12;
    const aside = x < dotX ? dotX - x : Math.max(0, x - dotX - name);
    const far = Math.hypot(aside, y - dotY) + 0.02 * Math.abs(x - dotX);
    if (far < least) [least, best] = [far, {variable: v}];
  });
  return best;
}

// The legend of edge widths: three widths with their numbers, in the corner.
function drawLegend(pen, scene, width, height) {
  if (!scene.ranked || !scene.most || width < 500) return;
  const {colours} = scene, meaning = fitText(scene.meaning, 11, false, 290);
  const w = Math.max(180, textWidth(meaning, 11, false) + 20), left = width - w - 12, top = height - 58;
  pen.rect(left, top, w, 46, 6, {fill: colours.panel, stroke: colours.line || colours.track});
  pen.text(meaning, left + 10, top + 13, 11, {fill: colours.soft});
  [0.35, 0.7, 1].forEach((level, i) => {
    const x = left + 10 + i * (w - 20) / 3, y = top + 32;
    pen.lines([[x, y, x + 16, y]], {stroke: mix(colours.weak, colours.strong, level), width: THIN + (THICK - THIN) * level});
    const value = scene.most * level * level;
    pen.text(String(+value.toPrecision(2)), x + 20, y, 11, {fill: colours.ink});
  });
}
