// Cases: sets of findings that are kept under a name, compared for the variable chosen, and saved as a table.
//
// The table has a column for each variable that is known in some case, and a row for each case, as
// `mnmodel query --given-rows` reads it. Soft findings are in the page only.

const cases = [];  // {name, findings}

function keepCase() {
  const name = [...past[now]].filter(([, one]) => isHard(one)).map(([v, one]) => data.states[v][one.indexOf(1)]).join(', ');
  cases.push({name: `${cases.length + 1}: ${name || 'no findings'}`, findings: past[now]});
  showCases();
  showChosen();
}

function showCases() {
  const rows = cases.map((one, i) => make('span', [
    button(named(one.name), () => setFindings(new Map(one.findings)), {title: 'Use these findings'}),
    button('\u00d7', () => { cases.splice(i, 1); showCases(); showChosen(); }, {'aria-label': `Remove case ${one.name}`}),
  ], {class: 'pair'}));
  const act = [
    button('Keep this case', keepCase), button('Load', () => byId('load').click(), {title: 'Cases from a CSV file'}),
    ...(cases.length ? [button('Save', () => save(`${stem}-cases.csv`, 'text/csv', casesText()))] : []),
  ];
  byId('cases').querySelector('div').replaceChildren(...(rows.length ? [items(rows)] : []), make('p', act, {class: 'acts'}));
}

const quoted = text => (/[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replace(/"/g, '""')}"` : text);

function casesText() {
  const hard = cases.map(({findings}) => new Map([...findings].filter(([, one]) => isHard(one))));
  const known = data.names.map((_, v) => v).filter(v => hard.some(findings => findings.has(v)));
  const lines = hard.map(findings => known.map(v => (findings.has(v) ? data.states[v][findings.get(v).indexOf(1)] : '')));
  return [known.map(v => data.names[v]), ...lines].map(line => line.map(quoted).join(',') + '\n').join('');
}

// The cells of a CSV text.
function parseCsv(text) {
  const rows = [[]];
  let cell = '', inside = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (inside && c === '"' && text[i + 1] === '"') { cell += '"'; i++; }
    else if (c === '"') inside = !inside;
    else if (!inside && (c === ',' || c === '\n')) {
      rows[rows.length - 1].push(cell);
      cell = '';
      if (c === '\n') rows.push([]);
    } else if (inside || c !== '\r') cell += c;
  }
  if (cell || rows[rows.length - 1].length) rows[rows.length - 1].push(cell);
  return rows.filter(row => row.length);
}

function loadCases(text) {
  const [head, ...rows] = parseCsv(text.replace(/^\ufeff/, '')), columns = (head || []).map(name => data.names.indexOf(name));
  const unknown = [];
  for (const row of rows) {
    const findings = new Map();
    row.forEach((label, i) => {
      if (columns[i] === undefined || columns[i] < 0 || label === '' || label === '?') return;
      const s = data.states[columns[i]].indexOf(label);
      if (s < 0) unknown.push(`${head[i]}=${label}`);
      else findings.set(columns[i], likelihoodOf(columns[i], s));
    });
    const name = [...findings].map(([v, one]) => data.states[v][one.indexOf(1)]).join(', ');
    cases.push({name: `${cases.length + 1}: ${name || 'no findings'}`, findings});
  }
  announce(unknown.length ? `Not in the model, left out: ${unknown.slice(0, 5).join(', ')}` : `${rows.length} cases loaded`);
  showCases();
  showChosen();
}

// The distribution of a variable in each case.
function caseParts(v) {
  if (!cases.length) return [];
  const head = [make('th', 'case'), ...data.states[v].map(label => make('th', named(label)))];
  const rows = cases.map(({name, findings}) => {
    const possible = tree.propagate(findings) > -Infinity, p = possible ? [...tree.marginal(v)] : data.states[v].map(() => NaN);
    return [make('th', named(name), {scope: 'row'}), ...p.map(probabilityCell)];
  });
  tree.propagate(past[now]);
  return [make('h3', 'In the cases'), tableOf(head, rows)];
}

// p(variable | parents), as the model has it.
function familyParts(v) {
  if (!data.parents || !data.parents[v].length) return [];
  const parents = data.parents[v], r = data.states[v].length, table = data.tables[v], most = 200;
  const count = Math.min(table.length / r, most);
  const head = [...parents.map(u => make('th', named(data.names[u]))), ...data.states[v].map(label => make('th', named(label)))];
  const rows = [...Array(count).keys()].map(row => {
    let rest = row;
    const states = parents.map(() => 0);
    for (let k = parents.length - 1; k >= 0; k--) {
      states[k] = rest % data.states[parents[k]].length;
      rest = Math.floor(rest / data.states[parents[k]].length);
    }
    return [...states.map((s, k) => make('td', named(data.states[parents[k]][s]))),
      ...[...Array(r).keys()].map(s => probabilityCell(table[row * r + s]))];
  });
  const parts = [make('summary', [named(data.names[v]), ' given all its parents']), tableOf(head, rows)];
  if (count < table.length / r) parts.push(note(`The first ${count} of ${table.length / r} rows.`));
  return [make('details', parts, {class: 'family'})];
}

if (computes) {
  byId('load').addEventListener('change', event => {
    const [file] = event.target.files;
    if (file) file.text().then(loadCases);
    event.target.value = '';
  });
  showCases();
}
