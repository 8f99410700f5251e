"""A model from the text of its file, by a few patterns for each format: no checks, only plain files.

Each reader returns {variable: (states, parents, numbers)}: the numbers by joint state of the parents, the last one
changing fastest, and within each by the variable's own states; None where the file has another description.
"""

import re
from itertools import product
from xml.etree import ElementTree


def read_bif(text):
    """Rows in brackets, tables by the variable's own state first, defaults."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|property[^;]*;", "", text, flags=re.DOTALL)
    states = {}
    for name, labels in re.findall(r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[[^]]*\]\s*\{([^}]*)\}", text):
        states[name] = re.findall(r"[^\s,]+", labels)
    found = {}
    for head, body in re.findall(r"probability\s*\(([^)]*)\)\s*\{([^}]*)\}", text):
        name, *parents = re.findall(r"[^\s,|]+", head)
        rows = list(product(*(states[u] for u in parents)))
        numbers = dict.fromkeys(rows)
        for line in filter(str.strip, body.split(";")):
            before, bracket, after = line.rpartition(")")
            values = list(map(float, re.findall(r"[-+.\deE]+", re.sub("default|table", "", after))))
            if bracket:
                numbers[tuple(re.findall(r"[^\s,()]+", before))] = values
            elif "default" in line:
                numbers = {row: one or values for row, one in numbers.items()}
            else:
                numbers = {row: values[k :: len(rows)] for k, row in enumerate(rows)}
        found[name] = states[name], parents, [value for row in rows for value in numbers[row]]
    return found


def read_xmlbif(text):
    """Tables with the variable itself changing fastest."""
    root = ElementTree.fromstring(text.lstrip())
    states = {
        v.find("NAME").text.strip(): [o.text.strip() for o in v.findall("OUTCOME")] for v in root.iter("VARIABLE")
    }
    found = {}
    for one in root.iter("DEFINITION"):
        name = one.find("FOR").text.strip()
        numbers = [float(word) for part in one.find("TABLE").itertext() for word in part.split()]
        found[name] = states[name], [given.text.strip() for given in one.findall("GIVEN")], numbers
    return found


def read_xdsl(text):
    """Nodes with a table, or deterministic ones; of a noisy-MAX no numbers."""
    found, states = {}, {}
    for node in ElementTree.fromstring(text.encode()).find("nodes"):
        name, parents = node.get("id"), (node.findtext("parents") or "").split()
        states[name] = [state.get("id") for state in node.findall("state")]
        numbers = None
        if node.tag == "cpt":
            numbers = list(map(float, node.findtext("probabilities").split()))
        elif node.tag == "deterministic":
            results = node.findtext("resultingstates").split()
            numbers = [float(label == result) for result in results for label in states[name]]
        found[name] = states[name], parents, numbers
    return found


def read_net(text):
    """Data in brackets; a potential without them is uniform."""
    text = re.sub(r"%[^\n]*", "", text)
    states, found = {}, {}
    for name, body in re.findall(r"node\s+(\S+)\s*\{(.*?)\n\s*\}", text, flags=re.DOTALL):
        listed = re.search(r"states\s*=\s*\((.*?)\)\s*;", body, flags=re.DOTALL)
        states[name] = re.findall(r'"([^"]*)"', listed[1])
    for head, body in re.findall(r"potential\s*\(([^)]*)\)\s*\{(.*?)\}", text, flags=re.DOTALL):
        name, *parents = re.findall(r"[^\s|]+", head)
        data = re.search(r"data\s*=([^;]*);", body)
        numbers = list(map(float, re.findall(r"[-+.\deE]+", data[1]))) if data else None
        found[name] = states[name], parents, numbers
    return found


def read_dne(text):
    """Tables of chance nodes, and functions of deterministic ones; of other nodes, no numbers."""
    text = re.sub(r"//[^\n]*", "", text)
    found, states = {}, {}
    for name, body in re.findall(r"\nnode (\S+) \{(.*?)\n\t\};", text, flags=re.DOTALL):
        listed = {key: re.findall(r"[^\s,()]+", values)
                  for key, values in re.findall(r"\n\t(\w+) =([^;\"]*);", body)}  # fmt: skip
        labels = states[name] = listed.get("states")
        numbers = None
        if "probs" in listed:
            numbers = list(map(float, listed["probs"]))
        elif "functable" in listed and labels:
            numbers = [float(label == result) for result in listed["functable"] for label in labels]
        found[name] = labels, listed.get("parents", []), numbers
    return found


def read_uai(text):
    """Kind, numbers of states, and factors (scope, numbers), the last variable of a scope changing fastest."""
    words = iter(re.sub(r"#[^\n]*", "", text).split())
    kind, arity = next(words), [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    return kind, arity, [(scope, [float(next(words)) for _ in range(int(next(words)))]) for scope in scopes]
