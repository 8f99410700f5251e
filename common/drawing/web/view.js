// The view of the picture: painting, its place and its scale.

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
  const boxes = scene.boxes.filter((_, v) => scene.only === null || scene.visible(v));
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
