"""`mntools compare --format csv`: the edges of several graphs side by side."""


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


def test_edges_of_graphs_without_names(run, workplace):
    workplace({"one": "0,1\n1,2\n", "named": "graph {a; b--c}", "two": "# variables 3\n0,2\n"})
    done = run("mntools", "compare", "one", "named", "two", "--format", "csv")
    assert done.stdout == "u,v,one,named,two\na,b,1,0,0\na,c,0,0,1\nb,c,1,1,0\n"
    done = run("mntools", "compare", "one", "two", "--format", "csv")
    assert done.stdout == "u,v,one,two\n0,1,1,0\n0,2,0,1\n1,2,1,0\n"
