// The picture of the network: on a canvas, or as SVG. The same strokes serve both: `drawNetwork` knows only a pen.
//
// How much a box shows depends on its size on the screen: the names and bars of all states, or the bars alone. Names too
// small to read in their boxes are then written large where there is room, those with most neighbours first. Boxes too
// small for bars, and those of large networks, are dots (see cards.js).

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif';
const TITLE = 26, ROW = 16, ROWS = 7;  // of a box, at scale 1; as in page.py
const THIN = 0.9, THICK = 5.5, LEVELS = 12;  // widths of edges and how many are distinguished

class CanvasPen {
  constructor(context) { this.context = context; }

  set alpha(alpha) { this.context.globalAlpha = alpha; }

  stroke({stroke, width = 1, dash = []}) {
    this.context.strokeStyle = stroke;
    this.context.lineWidth = width;
    this.context.setLineDash(dash);
    this.context.stroke();
  }

  rect(x, y, w, h, radius, style) {
    const {context} = this;
    if (!radius && !style.stroke) {
      context.fillStyle = style.fill;
      context.fillRect(x, y, w, h);
      return;
    }
    context.beginPath();
    context.roundRect(x, y, w, h, radius);
    if (style.fill) {
      context.fillStyle = style.fill;
      context.fill();
    }
    if (style.stroke) this.stroke(style);
  }

  lines(lines, style) {
    this.context.beginPath();
    for (const [x1, y1, x2, y2] of lines) {
      this.context.moveTo(x1, y1);
      this.context.lineTo(x2, y2);
    }
    this.stroke(style);
  }

  polygon(points, fill) {
    this.context.beginPath();
    points.forEach(([x, y], i) => (i ? this.context.lineTo(x, y) : this.context.moveTo(x, y)));
    this.context.fillStyle = fill;
    this.context.fill();
  }

  text(text, x, y, size, {fill, anchor = 'start', bold = false, halo}) {
    const {context} = this;
    context.font = `${bold ? 600 : 400} ${size}px ${FONT}`;
    context.textAlign = {start: 'left', middle: 'center', end: 'right'}[anchor];
    context.textBaseline = 'middle';
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = 3.5;
      context.lineJoin = 'round';
      context.setLineDash([]);
      context.strokeText(text, x, y);
    }
    context.fillStyle = fill;
    context.fillText(text, x, y);
  }
}

class SvgPen {
  constructor(width, height) {
    this.alpha = 1;
    this.root = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const attributes = {viewBox: `0 0 ${width} ${height}`, width, height, 'font-family': FONT};
    for (const [key, value] of Object.entries(attributes)) this.root.setAttribute(key, value);
  }

  add(tag, attributes, style = {}) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    const all = {
      ...attributes, fill: style.fill || 'none', stroke: style.stroke, opacity: this.alpha < 1 ? this.alpha : undefined,
      'stroke-width': style.stroke && (style.width || 1), 'stroke-dasharray': style.dash && style.dash.join(' '),
    };
    for (const [key, value] of Object.entries(all)) {
      if (value === undefined || value === '') continue;
      element.setAttribute(key, typeof value === 'number' ? +value.toFixed(2) : value);
    }
    this.root.appendChild(element);
    return element;
  }

  rect(x, y, width, height, radius, style) {
    this.add('rect', {x, y, width, height, rx: radius || undefined}, style);
  }

  lines(lines, style) {
    this.add('path', {d: lines.map(line => 'M' + line.map(at => at.toFixed(1)).join(' ')).join('')}, style);
  }

  polygon(points, fill) {
    this.add('path', {d: 'M' + points.map(point => point.map(at => at.toFixed(1)).join(' ')).join('L') + 'Z'}, {fill});
  }

  text(text, x, y, size, {fill, anchor = 'start', bold = false}) {
    const weight = bold ? 600 : undefined;
    const attributes = {x, y, dy: '0.35em', 'font-size': size, 'text-anchor': anchor, 'font-weight': weight};
    this.add('text', attributes, {fill}).textContent = text;
  }
}

// Widths of texts, kept: a frame may ask for thousands.
const ruler = document.createElement('canvas').getContext('2d');
const widths = new Map(), shortened = new Map();

function textWidth(text, size, bold) {
  const key = bold ? '*' + text : ' ' + text;
  let width = widths.get(key);
  if (width === undefined) {
    ruler.font = `${bold ? 600 : 400} 20px ${FONT}`;
    width = ruler.measureText(text).width / 20;
    widths.set(key, width);
  }
  return width * size;
}

function fitText(text, size, bold, room) {
  if (textWidth(text, size, bold) <= room) return text;
  const key = `${bold}${Math.floor(room / size * 8)} ${text}`;
  if (!shortened.has(key)) {
    const letters = [...text];
    let low = 0, high = letters.length;
    ruler.font = `${bold ? 600 : 400} 20px ${FONT}`;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const fits = ruler.measureText(letters.slice(0, middle).join('') + '\u2026').width * size / 20 <= room;
      if (fits) low = middle; else high = middle - 1;
    }
    shortened.set(key, low ? letters.slice(0, low).join('').trimEnd() + '\u2026' : '');
  }
  return shortened.get(key);
}

// A name in lines, broken at blanks and underscores.
function wrapText(text, size, bold, room, most) {
  if (most < 2 || textWidth(text, size, bold) <= room) return [fitText(text, size, bold, room)];
  const lines = [''];
  for (const piece of text.split(/(?<=[\s_\-.])/)) {
    const longer = lines[lines.length - 1] + piece;
    if (lines.length === most || !lines[lines.length - 1] || textWidth(longer, size, bold) <= room) {
      lines[lines.length - 1] = longer;
    } else lines.push(piece);
  }
  return lines.map(line => fitText(line.trim(), size, bold, room));
}

function mix(from, to, share) {
  const parts = [from, to].map(colour => [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16)));
  return '#' + parts[0].map((a, i) => Math.round(a + (parts[1][i] - a) * share).toString(16).padStart(2, '0')).join('');
}

// The colours of the style sheet, as they are at the moment.
function readColours() {
  const style = getComputedStyle(document.documentElement), colours = {};
  const names = 'paper panel ink soft line box rim track bar finding before mark weak strong losing glow';
  for (const name of names.split(' ')) {
    colours[name] = style.getPropertyValue('--' + name).trim();
  }
  return colours;
}

const onScreen = ({x, y, w, h}, {x: left, y: top, k}) => ({x: x * k + left, y: y * k + top, w: w * k, h: h * k});
const centre = ({x, y, w, h}) => [x + w / 2, y + h / 2];

// `scene` says what is shown: boxes, edges, directed, colours, states, and of the moment (see page.js) levels, losing,
// hidden, lit, dim, near, chosen, found, pointed, visible(v), changed, marginal(v), before, explanation, findings, and
// isDots(scale), whether variables are dots at this scale. `view`: x, y, and the scale k.
function drawNetwork(pen, scene, view, width, height) {
  const at = scene.boxes.map(box => onScreen(box, view));
  const shown = at.map((box, v) => scene.visible(v) && box.x < width && box.y < height && box.x + box.w > 0 &&
    box.y + box.h > 0);
  drawEdges(pen, scene, at, view.k, width, height);
  if (scene.isDots(view.k)) {
    drawFolds(pen, at, width, height);
    return void drawDots(pen, scene, at, shown, view, width, height);
  }
  at.forEach((box, v) => {
    if (shown[v]) drawBox(pen, scene, box, v, view.k);
  });
  pen.alpha = 1;
  if (!hasRows(view.k)) drawNames(pen, scene, at, shown, view.k);
}

function drawEdges(pen, scene, at, scale, width, height) {
  const {colours} = scene, groups = new Map(), dots = scene.isDots(scale);
  scene.edges.forEach(([u, v], e) => {
    if (scene.hidden[e] || !scene.visible(u) || !scene.visible(v)) return;
    const end = dots ? dotOf : centre, a = at[u], b = at[v], r = 2 * dotRadius(scale) + 2;
    const line = [...end(a), ...end(b)];
    if (Math.max(line[0], line[2]) < 0 || Math.min(line[0], line[2]) > width) return;
    if (Math.max(line[1], line[3]) < 0 || Math.min(line[1], line[3]) > height) return;
    const light = !scene.lit || scene.near(e) ? 1 : 0;
    const key = light * 4 * LEVELS + (scene.losing[e] ? 2 * LEVELS : 0) + Math.round(scene.levels[e] * (LEVELS - 1));
    if (!groups.has(key)) groups.set(key, {light, losing: scene.losing[e], level: scene.levels[e], lines: []});
    groups.get(key).lines.push(scene.directed ? shortLine(line, dots ? {w: r, h: r} : b) : line);
  });
  const zoom = Math.min(1.6, Math.max(0.45, Math.sqrt(scale)));
  for (const key of [...groups.keys()].sort((a, b) => a - b)) {
    const {light, losing, level, lines} = groups.get(key);
    const plain = losing ? colours.losing : mix(colours.weak, colours.strong, scene.ranked ? level : 0.45);
    const stroke = scene.lit && light ? mix(plain, colours.glow, 0.55) : plain;
    const thick = (scene.ranked ? THIN + (THICK - THIN) * level : 1.5) * zoom;
    pen.alpha = light || !scene.dim ? 1 : 0.3;
    pen.lines(lines, {stroke, width: thick, dash: losing ? [5, 4] : []});
    if (!scene.directed || scale < 0.12) continue;
    const size = (3.6 + 0.7 * thick) * Math.min(1.2, 0.35 + scale);
    for (const line of lines) pen.polygon(arrowHead(line, size), stroke);
  }
  pen.alpha = 1;
}

// A line that ends at the rim of the box it goes to.
function shortLine([x1, y1, x2, y2], box) {
  const dx = x1 - x2, dy = y1 - y2;
  const share = Math.min(1, box.w / 2 / Math.max(1e-9, Math.abs(dx)), box.h / 2 / Math.max(1e-9, Math.abs(dy)));
  return [x1, y1, x2 + dx * share, y2 + dy * share];
}

function arrowHead([x1, y1, x2, y2], size) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1, dx = (x2 - x1) / length * size, dy = (y2 - y1) / length * size;
  const x = x2 - 1.7 * dx, y = y2 - 1.7 * dy;
  return [[x2, y2], [x - 0.75 * dy, y + 0.75 * dx], [x + 0.75 * dy, y - 0.75 * dx]];
}

// Whether the rows of a box's states are drawn at this scale.
const hasRows = scale => scale >= 0.69;
const rowType = scale => Math.max(11, 11 * scale);  // nothing is written smaller than in 11 pixels
const numberType = scale => Math.max(11, 10 * scale);
const hasBars = scale => ROW * scale >= 5.5;

function drawBox(pen, scene, box, v, scale) {
  const {colours, states} = scene, {x, y, w, h} = box;
  const finding = scene.findings.get(v), chosen = scene.chosen.has(v);
  const rim = finding ? colours.finding : scene.lit && scene.lit.has(v) ? colours.glow : colours.rim;
  const thick = (chosen ? 3 : finding || scene.lit && scene.lit.has(v) ? 2 : 1) * Math.min(1, 0.5 + scale / 2);
  const tinted = mix(colours.box, colours.bar, 0.3 * scene.changed[v]);  // by how much the distribution changed
  const fill = scene.found && scene.found.has(v) ? mix(colours.box, colours.glow, 0.3) : tinted;
  const dash = finding && !isHard(finding) ? [4, 3] : undefined;
  pen.alpha = 1;
  pen.rect(x, y, w, h, Math.min(6 * scale, 8), {fill, stroke: chosen ? colours.ink : rim, width: thick, dash});
  const pad = 9 * scale, room = w - 2 * pad, name = scene.names[v];
  const ink = scene.alone(v) ? colours.soft : colours.ink;
  if (!states) {
    const size = Math.min(15, Math.max(12.5 * scale, 11));
    const shown = fitText(name, size, false, w - 6 * scale);
    if (h >= 12) pen.text(shown, x + w / 2, y + h / 2, size, {fill: ink, anchor: 'middle'});
    return;
  }
  if (!hasRows(scale)) {
    drawBars(pen, scene, v, box, scale);
    const {lines, size} = nameIn(scene, v, w, scale);
    lines.forEach((line, i) => {
      const middle = y + TITLE * scale / 2 + 0.5 + (i - (lines.length - 1) / 2) * size * 1.1;
      pen.text(line, x + w / 2, middle, size, {fill: ink, anchor: 'middle', bold: true});
    });
    return;
  }
  const size = Math.max(11.5, 12.5 * scale);
  pen.text(fitText(name, size, true, room), x + pad, y + TITLE * scale * 0.52, size, {fill: ink, bold: true});
  const labels = states[v], last = labels.length > ROWS ? ROWS - 1 : labels.length;
  for (let s = 0; s < last; s++) drawRow(pen, scene, box, v, s, scale);
  if (last < labels.length) {
    const middle = y + (TITLE + ROW * (last + 0.5)) * scale;
    pen.text(`+ ${labels.length - last} more`, x + pad, middle, rowType(scale), {fill: colours.soft});
  }
}

// Where the bar of a state lies in a box on the screen: the labels take the room they need, at most six tenths.
function barOf(scene, box, v, s, scale) {
  const room = box.w - 24 * scale - textWidth('100.0', numberType(scale), false);
  const label = Math.max(...scene.states[v].map(text => textWidth(text, rowType(scale), true)));
  const left = Math.min(0.6 * room, label + (scene.explanation ? 16 : 7) * scale);
  const top = box.y + (TITLE + ROW * s + 3) * scale;
  return {x: box.x + 9 * scale + left, y: top, w: room - left + 2 * scale, h: (ROW - 6) * scale};
}

function drawRow(pen, scene, box, v, s, scale) {
  const {colours} = scene, bar = barOf(scene, box, v, s, scale), middle = bar.y + bar.h / 2, size = rowType(scale);
  const finding = scene.findings.get(v), given = finding && isHard(finding) && finding[s] > 0;
  const p = scene.marginal(v)[s], best = scene.explanation && scene.explanation[v] === s;
  const indent = scene.explanation ? 9 * scale : 0, left = box.x + 9 * scale;
  if (best) drawMark(pen, colours.mark, left + 3 * scale, middle, 3.6 * scale);
  const label = fitText(scene.states[v][s], size, given, bar.x - left - indent - 5 * scale);
  pen.text(label, left + indent, middle, size, {fill: given ? colours.finding : colours.ink, bold: given});
  pen.rect(bar.x, bar.y, bar.w, bar.h, 0, {fill: colours.track});
  const colour = finding ? colours.finding : colours.bar;
  if (scene.before) {
    pen.rect(bar.x, bar.y, bar.w * scene.before(v)[s], bar.h * 0.4, 0, {fill: colours.before});
    if (!scene.impossible) pen.rect(bar.x, bar.y + bar.h * 0.45, bar.w * p, bar.h * 0.55, 0, {fill: colour});
  } else if (!scene.impossible) pen.rect(bar.x, bar.y, bar.w * p, bar.h, 0, {fill: colour});
  const number = scene.impossible ? '\u2013' : percent(p), right = box.x + box.w - 8 * scale;
  pen.text(number, right, middle, numberType(scale), {fill: colours.soft, anchor: 'end'});
}

function drawMark(pen, colour, x, y, size) {
  pen.polygon([[x, y - size], [x + size, y], [x, y + size], [x - size, y]], colour);
}

// The lines of a name in a box that shows no rows; none if it is not to be read there.
function nameIn(scene, v, w, scale) {
  const size = Math.min(12, Math.max(11, 17 * scale)), most = Math.floor((TITLE * scale - 3) / (size * 1.1));
  if (most < 1) return {lines: [], size};
  const lines = wrapText(scene.names[v], size, true, w - 4, most);
  return {lines: lines.some(line => line.endsWith('\u2026')) ? [] : lines, size};
}

// The bars of the states without their names.
function drawBars(pen, scene, v, {x, y, w}, scale) {
  const {colours} = scene, p = scene.marginal(v), pad = 6 * scale, room = w - 2 * pad;
  const colour = scene.findings.has(v) ? colours.finding : colours.bar;
  for (let s = 0; s < Math.min(p.length, ROWS); s++) {
    const top = y + (TITLE + ROW * s + 3) * scale, high = (ROW - 5) * scale;
    pen.rect(x + pad, top, room, high, 0, {fill: colours.track});
    if (scene.before) pen.rect(x + pad, top, room * scene.before(v)[s], high * 0.4, 0, {fill: colours.before});
    const from = scene.before ? 0.45 : 0;
    if (!scene.impossible) pen.rect(x + pad, top + high * from, room * p[s], high * (1 - from), 0, {fill: colour});
    const best = scene.explanation && scene.explanation[v] === s;
    if (best) drawMark(pen, colours.mark, x + pad + 4 * scale, top + high / 2, 5 * scale);
  }
}

// Names written over boxes that are too small for them, without overlap.
function drawNames(pen, scene, at, shown, scale) {
  const {colours, findings, lit} = scene, taken = [], size = 11;
  const small = v => (scene.states ? !nameIn(scene, v, at[v].w, scale).lines.length : at[v].h < 12);
  const first = v => scene.chosen.has(v) || v === scene.pointed;
  const rank = v => 4e6 * first(v) + 2e6 * findings.has(v) + 1e6 * (lit !== null && lit.has(v)) + scene.degree[v];
  const order = at.map((_, v) => v).filter(v => shown[v] && small(v));
  order.sort((a, b) => rank(b) - rank(a));
  for (const v of order.slice(0, 400)) {
    const name = fitText(scene.names[v], size, true, 150), w = textWidth(name, size, true) + 4;
    const band = scene.states ? TITLE * scale : at[v].h;
    const x = at[v].x + at[v].w / 2 - w / 2, y = at[v].y + band / 2 - 8;
    const clash = taken.some(other => x < other.x + other.w && other.x < x + w && y < other.y + 16 && other.y < y + 16);
    if (clash && !first(v)) {  // as much of it as its box has room for
      const part = fitText(name, size, true, at[v].w - 2);
      pen.text(part, at[v].x + at[v].w / 2, y + 8, size, {fill: colours.ink, anchor: 'middle', bold: true});
      continue;
    }
    taken.push({x, y, w});
    const fill = findings.has(v) ? colours.finding : colours.ink;
    pen.text(name, x + w / 2, y + 8, size, {fill, anchor: 'middle', bold: true, halo: colours.paper});
  }
}

const isHard = likelihood => likelihood.filter(l => l > 0).length === 1;

function percent(p) {
  if (Number.isNaN(p)) return '?';
  const text = (100 * p).toFixed(1);
  if (p > 1 - 1e-12) return '100.0';
  if (p > 0 && text === '0.0') return '<0.1';
  return text === '100.0' ? '>99.9' : text;
}
