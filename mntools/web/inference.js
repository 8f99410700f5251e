// Exact inference on a junction tree, for all variables at once.
//
// Each clique has a table over its variables: first those it shares with the clique above it, the separator, then its
// own. So the cells that belong to one state of the separator are neighbours.
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

class JunctionTree {
  // arity[v]: states of variable v. cliques[i]: its variables; up[i] < i: the clique above it, or -1.
  // tables[v]: p(v | parents[v]), the last parent changing faster than the others and v fastest.
  constructor(arity, cliques, up, parents, tables) {
    this.arity = arity;
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
    this.start = new Int32Array(arity.length + 1);  // of each variable's states in `marginals`
    arity.forEach((r, v) => { this.start[v + 1] = this.start[v] + r; });
    this.marginals = new Float64Array(this.start[arity.length]);
    parents.forEach((above, v) => {
      const family = [...above, v], node = this.smallest(family), at = this.places(node.scope, family);
      const logs = Float64Array.from(tables[v], Math.log);
      for (let c = 0; c < node.size; c++) node.logs[c] += logs[at[c]];
    });
  }

  // Number of joint states.
  cells(variables) {
    return variables.reduce((product, v) => product * this.arity[v], 1);
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

  // The distribution of one variable.
  marginal(v) {
    return this.marginals.subarray(this.start[v], this.start[v + 1]);
  }

  // After `propagate`: the joint distribution of variables that share a clique, the last one changing fastest.
  joint(variables) {
    const node = this.smallest(variables), at = this.places(node.scope, variables);
    const table = new Float64Array(this.cells(variables));
    for (let c = 0; c < node.size; c++) table[at[c]] += node.belief[c];
    return table;
  }

  // The most probable joint state with the findings and the logarithm of its probability. What `propagate` found is
  // overwritten, but for the marginals.
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

  // After `propagate`: how much one of two variables that share a clique tells about the other, in nats.
  information(u, v) {
    const joint = this.joint([u, v]), r = this.arity[v], first = this.marginal(u), second = this.marginal(v);
    const terms = joint.map((p, c) => (p ? p * Math.log(p / first[Math.floor(c / r)] / second[c % r]) : 0));
    return Math.max(0, terms.reduce((sum, term) => sum + term, 0));
  }
}
