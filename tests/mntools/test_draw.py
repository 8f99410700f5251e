"""`mntools draw`: what its widths show."""


def test_widths_by_probability(run, workplace):
    """A network and a list of probabilities: the edges are those of the network, with the widths of the list."""
    folder = workplace({"net": "# variables 3\n0,1\n1,2\n", "p.edges": "# columns u,v,probability\n0,1,0.9\n0,2,0.2\n"})
    done = run("mntools", "draw", "net", "--probabilities", "p.edges", "-o", "net.svg")
    assert done.code == 0 and "edges that the network does not have are left out: 1" in done.stderr
    listed = (folder / "net.svg").read_bytes()
    assert run("mntools", "draw", "net", "-o", "net.svg").code == 0 and (folder / "net.svg").read_bytes() != listed
    done = run("mntools", "draw", "net", "--probabilities", "net", "-o", "net.svg")
    assert done.code == 1 and "net: edges without probabilities" in done.stderr
