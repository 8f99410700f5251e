// Exact inference for all variables at once: in a network, on its junction tree, in rows with probabilities, and in a
// mixture of these.
//
// On the junction tree each clique has a table over its variables: first those it shares with the clique above it, the
// separator, then its own. So the cells that belong to one state of the separator are neighbours.
//
// Upwards, children before parents: the logarithms of a clique's families, of the findings and of the messages from
// below are added in each cell. Summing out the clique's own variables gives its message, one logarithm per state of
// the separator, and, divided by it, the distribution of the own variables given the separator and all findings below.
// Logarithms cannot underflow, however many findings there are. Downwards, parents first, these conditional
// distributions are multiplied with the distribution of the separator: the distribution of the clique given all
// findings. There is no division, so a probability of zero needs no care but one: a message of minus infinity.
//
// With maxima instead of sums the same pass upwards finds the most probable explanation; downwards it is read off.
'use strict';

// The logarithm of a sum, from the logarithms of its terms.
function logSum(logs) {
  const top = logs.reduce((most, log) => Math.max(most, log), -Infinity);
  return top === -Infinity ? top : top + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - top), 0));
}

class Distribution {
  // arity[v]: states of variable v.
  constructor(arity) {
    this.arity = arity;
    this.start = new Int32Array(arity.length + 1);  // of each variable's states in `marginals`
    arity.forEach((r, v) => { this.start[v + 1] = this.start[v] + r; });
    this.marginals = new Float64Array(this.start[arity.length]);
  }

  // Number of joint states.
  cells(variables) {
    return variables.reduce((product, v) => product * this.arity[v], 1);
  }

  // The distribution of one variable.
  marginal(v) {
    return this.marginals.subarray(this.start[v], this.start[v + 1]);
  }

  // After `propagate`: the mutual information of two variables, in nats; 0 where it is within rounding.
  mutualInformation(u, v) {
    const joint = this.joint([u, v]), r = this.arity[v], first = this.marginal(u), second = this.marginal(v);
    const terms = joint.map((p, c) => (p ? p * Math.log(p / first[Math.floor(c / r)] / second[c % r]) : 0));
    const sum = terms.reduce((total, term) => total + term, 0);
    return sum > 1e-14 ? sum : 0;
  }
}

class JunctionTree extends Distribution {
  // cliques[i]: its variables; up[i] < i: the clique above it, or -1.
  // tables[v]: p(v | parents[v]), the last parent changing faster than the others and v fastest.
  constructor(arity, cliques, up, parents, tables) {
    super(arity);
    this.nodes = cliques.map((members, i) => {
      const above = up[i] < 0 ? [] : cliques[up[i]];
      const shared = members.filter(v => above.includes(v));
      const scope = [...shared, ...members.filter(v => !above.includes(v))];
      const groups = this.cells(shared), size = this.cells(scope);
      return {
        scope, shared, groups, size, up: up[i], below: [], readers: [],
        strides: scope.map((_, k) => this.cells(scope.slice(k + 1))),
        logs: new Float64Array(size),         // of the product of the families
        conditional: new Float64Array(size),  // of the own variables given the separator
        belief: new Float64Array(size),       // of the clique
        message: new Float64Array(groups),
        outside: new Float64Array(groups),    // distribution of the separator
        choice: new Int32Array(groups),       // its most probable cell, for each state of the separator
      };
    });
    this.holders = arity.map(() => []);
    for (const node of this.nodes) {
      for (const v of node.scope) this.holders[v].push(node);
      if (node.up >= 0) {
        const above = this.nodes[node.up];
        above.below.push({node, at: this.places(above.scope, node.shared)});
      }
    }
    this.reader = arity.map((_, v) => this.smallest([v]));  // where the variable is observed and read
    this.reader.forEach((node, v) => node.readers.push(v));
    parents.forEach((above, v) => {
      const family = [...above, v], node = this.smallest(family), at = this.places(node.scope, family);
      const logs = Float64Array.from(tables[v], Math.log);
      for (let c = 0; c < node.size; c++) node.logs[c] += logs[at[c]];
    });
  }

  // The smallest clique that has all these variables; undefined if none has.
  smallest(variables) {
    let best;
    for (const node of this.holders[variables[0]]) {
      if ((!best || node.size < best.size) && variables.every(v => node.scope.includes(v))) best = node;
    }
    return best;
  }

  // For each cell of a table over `scope` that of a table over `part`, some of these variables in any order.
  places(scope, part) {
    const steps = scope.map(v => (part.includes(v) ? this.cells(part.slice(part.indexOf(v) + 1)) : 0));
    const places = new Int32Array(this.cells(scope)), states = new Int32Array(scope.length);
    for (let c = 1, at = 0; c < places.length; c++) {
      let k = scope.length - 1;
      while (states[k] === this.arity[scope[k]] - 1) {
        at -= steps[k] * states[k];
        states[k--] = 0;
      }
      states[k]++;
      at += steps[k];
      places[c] = at;
    }
    return places;
  }

  // Visits a clique's cells in runs of equal state of one of its variables: visit(state, first cell, cell behind).
  runs(node, v, visit) {
    const stride = node.strides[node.scope.indexOf(v)];
    for (let from = 0, state = 0; from < node.size; from += stride, state = (state + 1) % this.arity[v]) {
      visit(state, from, from + stride);
    }
  }

  // The pass upwards; findings: a Map from variables to likelihoods of their states. Returns the logarithm of the
  // probability of the findings, or with `maximise` of the most probable joint state with them.
  collect(findings, maximise) {
    let total = 0;
    for (let i = this.nodes.length - 1; i >= 0; i--) {
      const node = this.nodes[i], work = node.belief, own = node.size / node.groups;
      work.set(node.logs);
      for (const v of node.readers) {
        const likelihood = findings.get(v);
        if (!likelihood) continue;
        const logs = Float64Array.from(likelihood, Math.log);
        this.runs(node, v, (state, from, to) => {
          for (let c = from; c < to; c++) work[c] += logs[state];
        });
      }
      for (const {node: child, at} of node.below) {
        for (let c = 0; c < node.size; c++) work[c] += child.message[at[c]];
      }
      for (let g = 0; g < node.groups; g++) {
        const from = g * own, to = from + own;
        let best = from, sum = 0;
        for (let c = from + 1; c < to; c++) if (work[c] > work[best]) best = c;
        const top = work[best];
        node.choice[g] = best;
        if (maximise || top === -Infinity) {
          node.message[g] = top;
          node.conditional.fill(0, from, to);
          continue;
        }
        for (let c = from; c < to; c++) sum += node.conditional[c] = Math.exp(work[c] - top);
        for (let c = from; c < to; c++) node.conditional[c] /= sum;
        node.message[g] = top + Math.log(sum);
      }
      if (node.up < 0) total += node.message[0];
    }
    return total;
  }

  // Both passes: fills `marginals`, and returns the logarithm of the probability of the findings. If that is -Infinity,
  // the marginals are left as they were.
  propagate(findings) {
    const total = this.collect(findings, false);
    if (total === -Infinity) return total;
    this.findings = findings;
    for (const node of this.nodes) {
      const {belief, conditional, outside, groups} = node, own = node.size / groups;
      if (node.up < 0) outside[0] = 1;
      for (let c = 0; c < node.size; c++) belief[c] = conditional[c] * outside[Math.floor(c / own)];
      for (const {node: child, at} of node.below) {
        child.outside.fill(0);
        for (let c = 0; c < node.size; c++) child.outside[at[c]] += belief[c];
      }
      for (const v of node.readers) {
        const first = this.start[v];
        this.marginals.fill(0, first, this.start[v + 1]);
        this.runs(node, v, (state, from, to) => {
          for (let c = from; c < to; c++) this.marginals[first + state] += belief[c];
        });
      }
    }
    return total;
  }

  // After `propagate`: the joint distribution of variables that share a clique, or of any two, the last one changing
  // fastest.
  joint(variables) {
    const node = this.smallest(variables);
    if (!node) return this.jointAcrossCliques(...variables);
    const at = this.places(node.scope, variables), table = new Float64Array(this.cells(variables));
    for (let c = 0; c < node.size; c++) table[at[c]] += node.belief[c];
    return table;
  }

  // The same of two variables that share no clique: the second one given each state of the first.
  jointAcrossCliques(u, v) {
    const {findings} = this, first = this.marginal(u).slice(), r = this.arity[v];
    const table = new Float64Array(first.length * r);
    first.forEach((p, a) => {
      if (p === 0) return;
      this.propagate(new Map(findings).set(u, Float64Array.from(first, (_, s) => (s === a ? 1 : 0))));
      this.marginal(v).forEach((q, b) => { table[a * r + b] = p * q; });
    });
    this.propagate(findings);
    return table;
  }

  // The most probable joint state with the findings and the logarithm of its probability. The results of
  // `propagate` are overwritten, but for the marginals.
  explain(findings) {
    const log = this.collect(findings, true), states = new Int32Array(this.arity.length);
    if (log === -Infinity) return {log, states: null};
    for (const node of this.nodes) {
      const group = node.shared.reduce((cell, v) => cell * this.arity[v] + states[v], 0);
      node.scope.forEach((v, k) => {
        states[v] = Math.floor(node.choice[group] / node.strides[k]) % this.arity[v];
      });
    }
    return {log, states};
  }
}

// Rows with probabilities: all other joint states have none.
class Rows extends Distribution {
  constructor(arity, rows, probabilities) {
    super(arity);
    this.rows = rows;
    this.logs = Float64Array.from(probabilities, Math.log);
    this.found = new Float64Array(rows.length);  // logarithms with the findings
    this.shares = new Float64Array(rows.length);  // probabilities given the findings
  }

  collect(findings) {
    const known = [...findings].filter(([v]) => v < this.arity.length);
    const likelihoods = known.map(([v, likelihood]) => [v, Float64Array.from(likelihood, Math.log)]);
    this.rows.forEach((row, i) => {
      this.found[i] = likelihoods.reduce((total, [v, logs]) => total + logs[row[v]], this.logs[i]);
    });
    return logSum(this.found);
  }

  propagate(findings) {
    const total = this.collect(findings);
    if (total === -Infinity) return total;
    this.marginals.fill(0);
    this.rows.forEach((row, i) => {
      const share = this.shares[i] = Math.exp(this.found[i] - total);
      if (share) row.forEach((s, v) => { this.marginals[this.start[v] + s] += share; });
    });
    return total;
  }

  joint(variables) {
    const table = new Float64Array(this.cells(variables));
    this.rows.forEach((row, i) => {
      table[variables.reduce((cell, v) => cell * this.arity[v] + row[v], 0)] += this.shares[i];
    });
    return table;
  }

  explain(findings) {
    this.collect(findings);
    const best = this.found.reduce((top, log, i) => (log > this.found[top] ? i : top), 0), log = this.found[best];
    return {log, states: log === -Infinity ? null : Int32Array.from(this.rows[best])};
  }
}

// A mixture of distributions of the same variables; the last variable is the hidden class, the number of the
// distribution.
class Mixture extends Distribution {
  constructor(parts, weights) {
    super([...parts[0].arity, parts.length]);
    this.parts = parts;
    this.hidden = parts[0].arity.length;
    this.logs = Float64Array.from(weights, Math.log);
  }

  // For each part the logarithm of its weight plus `logOf(part)`, which is not called if the weight is zero.
  partLogs(findings, logOf) {
    const likelihood = findings.get(this.hidden);
    return this.parts.map((part, k) => {
      const log = this.logs[k] + (likelihood ? Math.log(likelihood[k]) : 0);
      return log === -Infinity ? log : log + logOf(part, k);
    });
  }

  collect(findings) {
    return logSum(this.partLogs(findings, part => part.collect(findings, false)));
  }

  propagate(findings) {
    const logs = this.partLogs(findings, part => part.propagate(findings)), total = logSum(logs);
    if (total === -Infinity) return total;
    const classes = this.marginal(this.hidden);
    this.marginals.fill(0);
    this.parts.forEach((part, k) => {
      classes[k] = Math.exp(logs[k] - total);
      if (classes[k]) part.marginals.forEach((p, i) => { this.marginals[i] += classes[k] * p; });
    });
    return total;
  }

  // After `propagate`: the joint distribution of two variables.
  joint([u, v]) {
    const table = new Float64Array(this.cells([u, v])), r = this.arity[v];
    this.marginal(this.hidden).forEach((share, k) => {
      if (share === 0) return;
      const part = this.parts[k];
      if (v === this.hidden) part.marginal(u).forEach((p, a) => { table[a * r + k] = share * p; });
      else if (u === this.hidden) part.marginal(v).forEach((p, b) => { table[k * r + b] = share * p; });
      else part.joint([u, v]).forEach((p, cell) => { table[cell] += share * p; });
    });
    return table;
  }

  // The most probable joint state, with the class.
  explain(findings) {
    const found = [];
    const logs = this.partLogs(findings, (part, k) => (found[k] = part.explain(findings)).log);
    const best = logs.reduce((top, log, k) => (log > logs[top] ? k : top), 0), log = logs[best];
    return {log, states: log === -Infinity ? null : Int32Array.of(...found[best].states, best)};
  }
}

// Probabilities computed beforehand, of a model that is too large for other findings; NaN if they were too costly.
class Fixed extends Distribution {
  constructor(arity, marginals, log) {
    super(arity);
    this.marginals = Float64Array.from(marginals, p => (p === null ? NaN : p));
    this.log = log === null ? NaN : log;
  }

  propagate() { return this.log; }
}

// The distribution of a page's model.
function distribution({states, cliques, up, parents, tables, parts, weights, fixed, marginals, log}) {
  const arity = states.map(labels => labels.length);
  if (fixed) return new Fixed(arity, marginals, log);
  if (!parts) return new JunctionTree(arity, cliques, up, parents, tables);
  const visible = arity.slice(0, -1);
  return new Mixture(parts.map(part => (part.rows ? new Rows(visible, part.rows, part.probabilities)
    : new JunctionTree(visible, part.cliques, part.up, part.parents, part.tables))), weights);
}
