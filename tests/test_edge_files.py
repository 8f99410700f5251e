"""Edge files of every command that takes one: the meaning of numbers, and messages about other files."""

import pytest

ROWS = "".join(f"{a},{a},{b},{c}\n" for _ in range(3) for a in (0, 1) for b in (0, 1) for c in (0, 1))
LEARN = "lsmarkov f.csv --header yes --iterations 300 -q --names"


@pytest.fixture(autouse=True)
def folder(workplace):
    return workplace({"f.csv": "1,2,3,4\n" + ROWS, "g.csv": "a,b,smoke,d\n" + ROWS})


def edges(run, *words):
    done = run(*words)
    assert done.code == 0, done.stderr
    return {line for line in done.stdout.splitlines() if not line.startswith("#")}


FORMS = ("1,2\n", "1\t2\n", "1 -> 2\n", "2 <- 1\n", "1 -- 2\n", "from,to\n1,2\n", "graph {1 -- 2}", "# mine\n1,2\n",
         "# names 1,2\n1,2\n", "[1][2|1]", "1,2\n0,1\n1,0\n",
         '{"nodes": [{"id": 1}, {"id": 2}], "edges": [{"source": 1, "target": 2}]}')  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_names_that_are_numbers_are_names(run, folder, text):
    (folder / "e").write_text(text)
    assert "1,2" not in edges(run, *LEARN.split(), "--forbidden-edges", "e")
    assert edges(run, *LEARN.split(), "--allowed-edges", "e") == {"1,2", "3", "4"}
    assert "1,2" in edges(run, *LEARN.split(), "--required-edges", "e")


def test_numbers_in_our_files_are_indices(run, folder, refuse):
    (folder / "e").write_text("# variables 4\n1,2\n")
    assert edges(run, *LEARN.split(), "--allowed-edges", "e") == {"1", "2", "3", "4"}  # 2 and 3 do not depend
    assert run(*LEARN.split()[:-1], "-o", "net").code == 0  # without --names
    assert run(*"mntools check net --data f.csv --header yes".split()).code == 0
    (folder / "e").write_text("0,1\n")
    message = (
        "e:1: '1' is the name of a variable, and '0' is not; write all vertices by name, or the line '# variables 4' if"
    )
    refuse(f"{LEARN} --forbidden-edges e", 1, message)
    (folder / "e").write_text("1,5\n")
    refuse(f"{LEARN} --forbidden-edges e", 1, "e:1: '1' is the name of a variable, and '5' is not;")
    (folder / "e").write_text("u,v,probability\n1,2,0\n")
    assert "1,2" not in edges(run, *LEARN.split(), "--edge-priors", "e")


def test_score_check_and_compare(run, folder):
    (folder / "by-name").write_text("1,2\n3\n4\n")
    (folder / "net").write_text("# variables 4\n0,1\n2\n3\n")
    wanted = run(*"mntools score f.csv --header yes net --score bdeu --ess 1 -q".split())
    found = run(*"mntools score f.csv --header yes by-name --score bdeu --ess 1 -q".split())
    assert wanted.code == 0 and wanted.stdout == found.stdout
    assert run(*"mntools convert net --data f.csv --header yes --names -o named.cliques -q".split()).code == 0
    for pair in ("named.cliques by-name", "by-name named.cliques"):
        assert "tp 1 fp 0 fn 0" in run(*f"mntools compare {pair} -q".split()).stdout
    assert "tp 1 fp 0 fn 0" in run(*"mntools compare net net -q".split()).stdout


def test_what_a_file_lists_may_be_a_part(run, folder, refuse):
    nodes = '{"nodes": [{"id": "b"}, {"id": "a"}], "links": [{"source": "a", "target": "b"}]}'
    for text in ("graph {a -- b}", "digraph {b -> a}", nodes, "[a][b|a]", "# names b,a\na,b\n", "a,b\n0,1\n1,0\n"):
        (folder / "e").write_text(text)
        assert edges(run, *LEARN.replace("f.csv", "g.csv").split(), "--allowed-edges", "e") == {"a,b", "smoke", "d"}
    refuse("mntools score g.csv e -q", 1, "e: the graph has 2 vertices but the data has 4 variables")


@pytest.mark.parametrize("text", ["", "\n \n", "# none\n", "from,to\n"])
def test_an_empty_file_is_no_constraint(run, folder, refuse, text):
    (folder / "e").write_text(text)
    free = edges(run, *LEARN.split())
    for option in ("--forbidden-edges", "--required-edges"):
        assert edges(run, *LEARN.split(), option, "e") == free
    refuse(
        f"{LEARN} --allowed-edges e", 1, "e: no edge in this file, so none would be allowed; leave --allowed-edges out"
    )


def test_messages(run, folder, refuse):
    learn = LEARN.replace("f.csv", "g.csv")
    for text, message in {
        "a,smok\n": "unknown vertex 'smok': neither an index nor a variable of the data; did you mean 'smoke'?",
        "a;b\n": "unknown vertex 'a;b': neither an index nor a variable of the data; vertices are separated by commas",
        "a b\n": "unknown vertex 'a b': neither an index nor a variable of the data; vertices are separated by commas",
        "a -> b -> d\n": "more than one arrow; write one edge a line",
    }.items():
        (folder / "e").write_text(text)
        refuse(f"{learn} --required-edges e", 1, f"e:1: {message}")
    (folder / "e").write_text("graph {a -- Smok}")
    refuse(f"{learn} --required-edges e", 1, "e: vertex 'Smok' is not a variable of the data; did you mean 'smoke'?")


def test_a_cycle_without_chords(refuse, folder):
    learn = LEARN.replace("f.csv", "g.csv")
    (folder / "cycle").write_text("a,b\nb,smoke\nsmoke,d\na,d\n")
    (folder / "chords").write_text("a,smoke\nb,d\n")
    message = "no network was found that has edge a,b and the others required: they make a cycle, and edges across it, "
    for option in ("--forbidden-edges chords", "--allowed-edges cycle"):
        refuse(f"{learn} --required-edges cycle {option}", 1, f"{message}such as b,d, are forbidden")
    refuse(
        f"{learn} --required-edges cycle --max-clique 2",
        1,
        "no network was found that has edge a,b and the others required, with cliq",
    )
