// The panel beside the picture: findings, the variable, edge or clique chosen with its bars or table, and the variables
// that changed most.
//
// Elements are made from text alone, so that no name can be anything but text.

function make(tag, content = '', attributes = {}) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...[content].flat());
  return element;
}

// A name from the data: its direction, left to right or right to left, does not reach beyond it.
const named = text => make('bdi', text);

function button(content, act, attributes = {}) {
  const element = make('button', content, {type: 'button', ...attributes});
  element.addEventListener('click', act);
  return element;
}

const note = (content, attributes = {}) => make('p', content, {class: 'note', ...attributes});
const items = elements => make('ul', elements.map(element => make('li', element)), {class: 'chips'});
const variableButton = v => button(named(data.names[v]), () => choose({variable: v}, true));

// Announced to screen readers.
const announce = text => { byId('announcement').textContent = text; };

function shortNumber(p) {
  return p === 0 || p >= 1e-4 ? String(+p.toPrecision(4)) : p.toExponential(3);
}

const logText = log => `ln ${log.toFixed(4).replace('-', '\u2212')}`;

// ---- findings

function describeFinding(v, finding) {
  const described = (sign, s, more = '') => [named(data.names[v]), sign, named(data.states[v][s]), more];
  const possible = [...finding.keys()].filter(s => finding[s] > 0), likely = possible.filter(s => finding[s] === 1);
  if (possible.length === 1) return described(' = ', possible[0]);
  const excluded = possible.length === finding.length - 1 && likely.length === possible.length;
  if (excluded) return described(' \u2260 ', finding.indexOf(0));
  const least = Math.min(...possible.map(s => finding[s]));
  const [s, ratio] = likely.length === 1 ? [likely[0], 1 / least] : [finding.indexOf(least), least];
  return described(' ~ ', s, ` \u00d7 ${+ratio.toPrecision(3)}`);
}

function chips(findings, remove) {
  return items([...findings].map(([v, finding]) => {
    const kind = isHard(finding) ? 'finding' : 'finding soft';
    if (!remove) return button(describeFinding(v, finding), () => choose({variable: v}), {class: kind});
    const title = 'Remove this finding';
    return button([...describeFinding(v, finding), ' \u00d7'], () => remove(v), {class: kind, title});
  }));
}

function showFindings() {
  if (!computes) return;
  const parts = [make('h2', 'Findings')], findings = past[now];
  if (data.fixed) {
    parts.push(note(data.fixed), chips(findings));
  } else if (findings.size === 0) {
    const hint = 'Click a state to enter it as a finding; drag a bar for a soft finding. All bars are updated.';
    parts.push(make('p', hint, {class: 'hint'}));
  } else parts.push(chips(findings, v => setFinding(v, null)));
  if (findings.size && !scene.impossible && !Number.isNaN(logProbability)) {
    const soft = [...findings.values()].every(isHard) ? '' : '; soft findings count as likelihoods, the largest as 1';
    const log = make('span', ` (${logText(logProbability)})${soft}`, {class: 'note'});
    parts.push(make('p', [`Probability ${shortNumber(Math.exp(logProbability))}`, log], {class: 'number'}));
  }
  if (scene.explanation) {
    const share = shortNumber(Math.exp(explainedLog - logProbability));
    const log = make('span', ` (${logText(explainedLog)} with them)`, {class: 'note'});
    const text = `\u25c6 Most probable explanation: probability ${share} given the findings`;
    parts.push(make('p', [text, log], {class: 'number'}));
    const lines = data.names.flatMap((name, v) => [make('dt', named(name)),
      make('dd', scene.explanation[v] === undefined || scene.explanation[v] < 0 ? '\u2013' : named(data.states[v][scene.explanation[v]]))]);
    parts.push(make('details', [make('summary', 'Its states'), make('dl', lines)], {class: 'explained'}));
  }
  if (kept) {
    parts.push(make('h3', 'Grey bars: kept for comparison, with'));
    parts.push(kept.findings.size ? chips(kept.findings) : make('p', 'no findings', {class: 'hint'}));
  }
  byId('findings').replaceChildren(...parts);
  showAlarm(findings);
}

// The message for findings of probability zero, with those of which it suffices to remove one.
function showAlarm(findings) {
  byId('alarm').hidden = !scene.impossible;
  if (!scene.impossible) return;
  const contradicting = findings.size > 20 ? [] : [...findings.keys()].filter(v => {
    const others = new Map(findings);
    others.delete(v);
    return tree.collect(others, false) > -Infinity;
  });
  const names = contradicting.flatMap((v, i) => [...(i ? [' or '] : []), named(data.names[v])]);
  const advice = contradicting.length ? ['Remove ', ...names, '.'] : ['Undo the last one.'];
  const message = 'Impossible: the probability of these findings is zero, so there are no bars. ';
  byId('alarm').replaceChildren(message, ...advice);
}

// ---- the largest changes, against the bars kept for comparison or those without findings

function showChanges() {
  if (!computes) return;
  const changes = [];
  for (let v = 0; v < n && !scene.impossible; v++) {
    if (scene.changed[v] > 1e-3 && !past[now].has(v)) changes.push([scene.changed[v], v]);
  }
  changes.sort((a, b) => b[0] - a[0]);
  const title = 'Total variation distance from the distribution without findings, or from the bars kept for comparison';
  const rows = changes.slice(0, 7).map(([share, v]) => button(
    [named(data.names[v]), make('span', `${percent(share)} %`, {class: 'number note'})],
    () => choose({variable: v}, true), {class: 'changed', title}));
  byId('changes').replaceChildren(...(rows.length ? [make('h2', 'Changed most'), ...rows] : []));
}

// ---- the variable, edge or clique chosen

function showChosen() {
  const {variable, edge, clique} = chosen, panel = byId('chosen');
  const focused = panel.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  panel.replaceChildren(...(variable !== undefined ? variableParts(variable)
    : edge !== undefined ? edgeParts(edge) : clique !== undefined ? cliqueParts(clique) : []));
  const again = focused && [...panel.querySelectorAll('[data-key]')].find(element => element.dataset.key === focused);
  if (again) again.focus();
}

function variableParts(v) {
  const parts = [make('h2', named(data.names[v]))], texts = data.descriptions && data.descriptions[v];
  if (texts) parts.push(...texts.filter(text => text).map(text => note(named(text))));
  if (computes) parts.push(stateRows(v), ...familyParts(v), ...caseParts(v));
  parts.push(onlySelect(v));
  const around = [...neighbours[v]].sort((a, b) => data.names[a[0]].localeCompare(data.names[b[0]]));
  const ending = end => around.filter(([, e]) => data.edges[e][end] === v);
  const kinds = data.directed ? [['Parents', ending(1)], ['Children', ending(0)]] : [['Neighbours', around]];
  for (const [kind, list] of kinds) {
    if (list.length === 0) continue;
    parts.push(make('h3', `${kind} (${list.length})`), items(list.map(([u, e]) => neighbourPair(u, e))));
  }
  if (around.length === 0) parts.push(make('p', 'No neighbours.', {class: 'hint'}));
  const cliques = [...data.cliques.keys()].filter(i => data.cliques[i].length > 1 && data.cliques[i].includes(v));
  if (cliques.length) {
    const title = `Cliques${data.directed ? ' of the junction tree' : ''} (${cliques.length})`;
    parts.push(make('details', [make('summary', title), items(cliques.slice(0, 40).map(i => cliqueButton(i, v)))]));
  }
  return parts;
}

// Which part of the network is shown.
function onlySelect(v) {
  const kinds = Object.keys(PARTS).filter(kind => data.directed || !PARTS[kind].directed);
  const options = [make('option', 'the whole network', {value: ''}),
    ...kinds.map(kind => make('option', `only its ${kind}`, {value: kind}))];
  const select = make('select', options, {'aria-label': 'Part of the network that is shown', 'data-key': 'only'});
  select.value = scene.only && scene.only.of === v ? scene.only.kind : '';
  select.addEventListener('change', () => showOnly(select.value, v));
  return make('p', ['Show ', select], {class: 'note'});
}

function neighbourPair(u, e) {
  const attributes = {'aria-label': `Edge to ${data.names[u]}`, class: 'note'};
  const edge = button(computes && !data.fixed ? 'table' : 'edge', () => choose({edge: e}), attributes);
  return make('span', [variableButton(u), edge], {class: 'pair'});
}

// The other variables of a clique, which is highlighted under the pointer.
function cliqueButton(i, v) {
  const others = data.cliques[i].filter(u => u !== v);
  const names = others.flatMap((u, k) => [...(k ? [', '] : []), named(data.names[u])]);
  const chip = button(names, () => choose({clique: i}));
  chip.addEventListener('pointerenter', () => highlight(new Set(data.cliques[i])));
  chip.addEventListener('pointerleave', () => highlight(null));
  return chip;
}

function stateRows(v) {
  const rows = data.states[v].flatMap((label, s) => stateRow(v, label, s));
  return make('div', rows, {class: 'states', role: 'group', 'aria-label': 'States'});
}

// A button that makes the state known, its bar, and the number.
function stateRow(v, label, s) {
  const finding = past[now].get(v), known = Boolean(finding && isHard(finding) && finding[s] > 0);
  const mark = scene.explanation && scene.explanation[v] === s ? ['\u25c6 '] : [];
  const state = button([...mark, named(label)], () => toggleState(v, s),
    {'aria-pressed': known, 'data-key': `state ${s}`, title: label});
  const p = scene.impossible ? 0 : tree.marginal(v)[s] || 0, before = scene.before && scene.before(v)[s];
  const bar = make('div', make('i', '', {class: 'now'}), {
    class: `track${finding ? ' given' : ''}${before === null ? '' : ' compared'}`, 'data-key': `bar ${s}`, tabindex: 0,
    role: 'slider', 'aria-label': `Probability of ${label}`, 'aria-valuemin': 0, 'aria-valuemax': 100,
    'aria-valuenow': (100 * p).toFixed(1), title: 'Drag for a soft finding',
  });
  bar.firstChild.style.width = `${100 * p}%`;
  bar.addEventListener('keydown', event => keyOnBar(event, v, s));
  bar.addEventListener('pointerdown', event => {
    dragBar(event, v, s, () => byId('chosen').querySelector(`[data-key="bar ${s}"]`).getBoundingClientRect());
  });
  const shown = make('output', scene.impossible ? '\u2013' : `${percent(tree.marginal(v)[s])} %`);
  if (before !== null) {
    bar.prepend(make('i', '', {class: 'before'}));
    bar.firstChild.style.width = `${100 * before}%`;
    shown.append(make('small', percent(before)));
  }
  return [state, bar, shown];
}

// ---- tables

function edgeParts(e) {
  const [u, v] = data.edges[e];
  const parts = [make('h2', [named(data.names[u]), data.directed ? ' \u2192 ' : ' \u2013 ', named(data.names[v])])];
  if (data.strengths) {
    const strength = data.strengths[e] === null ? 'unknown' : +data.strengths[e].toPrecision(5);
    parts.push(note(`${data.meaning}: ${strength}`));
  }
  if (data.evidence) parts.push(...evidenceParts(data.evidence[e]));
  if (!computes || data.fixed) return parts;
  if (scene.impossible) return [...parts, note('No probabilities: the findings are impossible.')];
  const kinds = ['Joint probability', `Given ${data.names[u]}`, `Given ${data.names[v]}`];
  const select = make('select', kinds.map((kind, value) => make('option', kind, {value})),
    {'aria-label': 'Kind of table', 'data-key': 'kind'});
  select.value = given;
  select.addEventListener('change', () => {
    given = Number(select.value);
    showChosen();
  });
  const joint = tree.joint([u, v]), first = tree.marginal(u), second = tree.marginal(v), r = second.length;
  const head = [make('th'), ...data.states[v].map(label => make('th', named(label)))];
  const rows = data.states[u].map((label, a) => [make('th', named(label), {scope: 'row'}),
    ...data.states[v].map((_, b) => probabilityCell(joint[a * r + b] / [1, first[a], second[b]][given]))]);
  const caption = `Rows: ${data.names[u]}. Columns: ${data.names[v]}. Mutual information with the findings `;
  return [...parts, select, tableOf(head, rows), note(`${caption}${shortNumber(tree.mutualInformation(u, v))} nats.`)];
}

function evidenceParts({lines, table}) {
  const parts = lines.map(line => note(line));
  if (!table.length) return parts;
  const cells = row => row.map((text, k) => make('td', text, k === row.length - 1 ? {class: 'number'} : {}));
  return [...parts, tableOf(table[0].map(name => make('th', named(name))), table.slice(1).map(cells))];
}

function cliqueParts(i) {
  const members = data.cliques[i], most = 60;
  const parts = [make('h2', `Clique of ${members.length}`), items(members.map(variableButton))];
  if (!computes || scene.impossible) return parts;
  const joint = tree.joint(members), order = [...joint.keys()].sort((a, b) => joint[b] - joint[a] || a - b);
  const stateIn = (cell, k) => Math.floor(cell / tree.cells(members.slice(k + 1))) % data.states[members[k]].length;
  const rows = order.slice(0, most).map(cell => [probabilityCell(joint[cell]),
    ...members.map((v, k) => make('td', named(data.states[v][stateIn(cell, k)])))]);
  const shown = joint.length > most ? `The ${most} most probable of ${joint.length}` : 'All';
  const head = [make('th', 'probability'), ...members.map(v => make('th', named(data.names[v])))];
  return [...parts, tableOf(head, rows), note(`${shown} joint states, with the findings.`)];
}

function tableOf(head, rows) {
  const body = make('tbody', rows.map(cells => make('tr', cells)));
  return make('div', make('table', [make('thead', make('tr', head)), body]), {class: 'scroll'});
}

function probabilityCell(p) {
  const cell = make('td', Number.isFinite(p) ? p.toFixed(4) : '\u2013', {class: 'p'});
  cell.style.setProperty('--p', `${55 * (p || 0)}%`);  // how much it is tinted
  return cell;
}
