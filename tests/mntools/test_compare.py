"""`mntools compare --format csv`: the edges of several graphs side by side; and what is said of probabilities."""

import pytest

from cliquewise import read_network


def test_edges_are_listed_side_by_side(run, workplace):
    workplace(
        {
            "p": "# format edges\n# names a,b,c\n# columns u,v,probability\nc,a,0.25\nb,c,0.75\n",
            "q, r": "digraph {b->a; c}",
            "t": "# format edges\n# names c,b,a\na,b\nc,b\n",
        }
    )
    done = run("mntools", "compare", "p", "q, r", "t", "--format", "csv")
    assert done.stdout == 'u,v,p,"q, r",t\na,b,0,1,1\na,c,0.25,0,0\nb,c,0.75,0,1\n'
    done = run("mntools", "compare", "p", "t", "--format", "csv", "--min-probability", 0.5)
    assert done.stdout == "u,v,p,t\na,b,0,1\nb,c,1,1\n"


@pytest.mark.parametrize(("value", "warned"), [("1.0499", 0), ("unknown", 0), ("1.0501", 1), ("inf", 1)])
def test_chains_that_have_not_converged_are_named(run, workplace, value, warned):
    """Two such lists differ by chance: in halves of one table 60 links were certain in one and absent in the other."""
    header = "# format edges\n# names a,b,c\n# columns u,v,probability\n"
    workplace({"p": f"# r-hat-edges {value}\n{header}a,b,1\n", "q": f"{header}a,b,0.5\n", "t": f"{header}a,c,1\n"})
    for fmt in ("text", "csv"):
        done = run("mntools", "compare", "p", "q", "t", "--format", fmt)
        assert done.stderr.count("p: the chains have not converged (R-hat") == warned
        done = run("mntools", "compare", "q", "t", "p", "--format", fmt)
        assert done.stderr.count("p: the chains have not converged (R-hat") == warned


def test_chains_are_named_in_python(workplace, caplog):
    header = "# format edges\n# names a,b\n# columns u,v,probability\n"
    workplace({"p": f"# r-hat-edges 7.7\n{header}a,b,1\n", "q": f"{header}a,b,0.5\n"})
    read_network("q").compare(read_network("p"))
    assert "the other network: the chains have not converged (R-hat 7.7" in caplog.text


def test_edges_of_graphs_without_names(run, workplace):
    workplace({"one": "0,1\n1,2\n", "named": "graph {a; b--c}", "two": "# variables 3\n0,2\n"})
    done = run("mntools", "compare", "one", "named", "two", "--format", "csv")
    assert done.stdout == "u,v,one,named,two\na,b,1,0,0\na,c,0,0,1\nb,c,1,1,0\n"
    done = run("mntools", "compare", "one", "two", "--format", "csv")
    assert done.stdout == "u,v,one,two\n0,1,1,0\n0,2,0,1\n1,2,1,0\n"
