// The pointer: the object under it, clicks, moving the picture and its boxes, and dragging bars.

function hit(x, y) {
  const {width, height} = canvas.getBoundingClientRect(), dots = scene.isDots(view.k);
  const dot = dots ? hitFold(x, y) || hitDot(scene, view, width, height, x, y) : null;
  if (dot) return dot;
  for (let v = n - 1; v >= 0 && !dots; v--) {
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
    const [[ax, ay], [bx, by]] = [u, v].map(end => (dots ? dotOf : centre)(onScreen(scene.boxes[end], view)));
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
    canvas.classList.toggle('pointing', Object.keys(what).length > 0);
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
  const {variable, state, edge, community} = press.what;
  press = null;
  if (community !== undefined) return openGroup(community);
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
  if (data.fixed) return announce(data.fixed);
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
    else announce(`${data.states[v][s]} has probability ${q[s]} given the other findings; a soft finding cannot change that.`);
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
