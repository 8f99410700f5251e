"""The ending of a result's name chooses its format, by every command and in Python; another is refused at once."""

import itertools

import pytest

from cliquewise.common.cli.formats import FormatOption
from cliquewise.common.cli.paths import OutputPath
from cliquewise.common.errors import UsageError
from cliquewise.common.files.endings import format_of_name
from cliquewise.common.files.input_stream import kind_of_file
from cliquewise.common.models.any_graph import read_graph
from tests.commands import ROOT, all_commands

TINY = ROOT / "data/tiny.csv"
GRAPHS = ("cliques", "edges", "dot", "graphml", "json")
LEARNERS = ("lsmarkov --iterations 9", "junctor", "coarsen", "twlearn -w 1", "mplearn", "mnposterior --draws 9")
CHOSEN = {
    **{f"net.{fmt}": fmt for fmt in GRAPHS},
    **{
        "NET.DOT": "dot",
        "a.b.gv": "dot",
        "net.{}.json": "json",
        "net.png.edges": "edges",
        "/x.dot/net.graphml": "graphml",
    },
    **dict.fromkeys(
        ("net", "net.1", "net.0.5", "net.{}", "net.txt", "a/b.png/net", ".json", "net.", "-", "/dev/stdout"), None
    ),
    **dict.fromkeys((None, "zoo.ess10", "zoo-1.part", "tmp.qXyzAbCdEf", "net.tmp", "wine.1e-05", "/dev/fd/3"), None),
}
REFUSED = {
    **dict.fromkeys(("n.png", "n.PDF", "n.svg"), "means a picture, not a format of this"),
    **dict.fromkeys(("n.bif", "n.xml", "n.xdsl", "n.net", "n.uai"), "means a model with probabilities, not"),
    **dict.fromkeys(("n.csv", "n.xlsx", "n.tsv", "n.parquet"), "means a table, not a format of this"),
    **dict.fromkeys(("n.dot.gz", "n.zip"), "means a compressed file, not"),
    **dict.fromkeys(("n.gexf", "n.gml", "n.arcs"), "means a graph"),
    **dict.fromkeys(("n.foo", "n.blankets", "n.nett"), "no known format ends in"),
}


@pytest.mark.parametrize("path, fmt", CHOSEN.items())
def test_the_ending_chooses_the_format(path, fmt):
    assert format_of_name(path, GRAPHS, "cliques") == (fmt or "cliques")


@pytest.mark.parametrize("path, message", REFUSED.items())
def test_endings_of_other_kinds_are_refused(path, message):
    with pytest.raises(UsageError, match=rf"^-o {path}: .*{message}.*\.cliques, \.edges, \.dot, \.graphml or \.json"):
        format_of_name(path, GRAPHS, "cliques", option="-o")


def test_scores_alone_can_be_compressed():
    assert format_of_name("x.scores.gz", ("scores", "blankets"), "scores") == "scores"
    with pytest.raises(UsageError, match="means a compressed file"):
        format_of_name("x.edges.gz", ("edges",), "edges")
    with pytest.raises(UsageError, match="means a picture"):
        format_of_name("x.png.gz", ("scores",), "scores")


def test_a_format_that_contradicts_the_ending_is_refused():
    """A format that is asked for agrees with the ending, or the ending says nothing about it."""
    formats = (*GRAPHS, "adjacency", "csv", "xmlbif")
    for path, fmt in (
        ("n.xml", "xmlbif"),
        ("n.xml", "graphml"),
        ("n.csv", "adjacency"),
        ("n.foo", "dot"),
        ("n", "dot"),
    ):
        assert format_of_name(path, formats, "cliques", fmt) == fmt
    for path, fmt in itertools.product(("n.png", "n.json", "n.csv", "n.gz", "n.cliques"), ("dot", "edges", "graphml")):
        with pytest.raises(UsageError, match=f"means .*, but --format is {fmt}; change one of them"):
            format_of_name(path, formats, "cliques", fmt)


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner(run, refuse, learner, here):
    name, *words = learner.split()
    formats = ("arcs", *GRAPHS[2:]) if name == "twlearn" else GRAPHS[name in ("mplearn", "mnposterior") :]
    for fmt in formats:
        assert run(name, TINY, *words, "-q", "-o", f"net.{fmt}").code == 0
        assert read_graph(f"net.{fmt}").kind == fmt
    for ending in ("png", "xdsl", "xlsx", "foo", "arcs" if "edges" in formats else "edges"):
        place = f"-o other.{ending}: "
        refuse(f"{learner} none.csv -o other.{ending}", 2, place)  # before the data are read
        if ending != "foo":
            refuse(f"{learner} none.csv -o other.{ending} --format dot", 2, place)
    refuse(f"{learner} none.csv -o net.json --format dot", 2, "-o net.json: .json means JSON, but --format is dot")


def test_endings_of_models_and_tables(run, refuse, here):
    assert run("lsmarkov", TINY, "--iterations", 9, "-q", "-o", "net").code == 0
    kinds = {
        "bif": "BIF",
        "xml": "XMLBIF",
        "bifxml": "XMLBIF",
        "xdsl": "GeNIe, .xdsl",
        "net": "Hugin, .net",
        "uai": "UAI",
    }
    for ending, kind in kinds.items():
        assert run("mnmodel", "fit", TINY, "net", "-q", "-o", f"m.{ending}").code == 0
        assert run("mntools", "convert", f"m.{ending}", "-q", "-o", f"c.{ending}").code == 0
        assert kind_of_file(f"m.{ending}") == kind_of_file(f"c.{ending}") == kind
    assert run("mnmodel", "fit", TINY, "net", "-q", "-o", "m.json").code == 0
    assert kind_of_file("m.json") == "JSON of mnmodel fit"
    assert run("mntools", "average", "net", "net", "-o", "a.graphml").code == 0
    assert read_graph("a.graphml").kind == "graphml"
    assert run("mntools", "best", "net", "-o", "b.cliques").code == 0
    for line, message in {
        "mnmodel fit none.csv net -o f.edges": "f.edges: .edges means a graph, not a format of this",
        "mnmodel fit none.csv net -o f.txt.gz": "f.txt.gz: .gz means a compressed file",
        "mnmodel fit none.csv net -o f.xdsl --format uai": "f.xdsl: .xdsl means a model with",
        "mnmodel mixture none.csv none.csv -o f.dot": "f.dot: .dot means a graph",
        "mnmodel sample none.bif -o f.xlsx": "f.xlsx: .xlsx means a table, not a format of this",
        "mnmodel page none.bif -o f.png": "f.png: .png means a picture, not a format of this",
        "mnmodel predict none.bif none.csv --target a -o f.json": "f.json: .json means JSON",
        "mntools average net -o f.cliques": "f.cliques: .cliques means a graph, not a format of this",
        "mntools best net -o f.dot": "f.dot: .dot means a graph, not a format of this result; end the name",
        "mntools convert net -o f.png": "f.png: .png means a picture",
        "mntools draw net -o f.dot": "f.dot: the name must end in .png, .svg, .pdf or .html",
        "mntools draw net -o f": "f: the name must end in .png, .svg, .pdf or .html",
        "mplearn none.csv --blankets-only -o f.edges": "f.edges: .edges means a graph",
        "dmscore none.csv 1 2 -o f.png": "f.png: .png means a picture",
        "dmscore none.csv 1 2 -o f.foo": "f.foo: no known format ends in .foo; end the name in .score",
        "mnmodel sample none.bif -o f.foo": "f.foo: no known format ends in .foo; end the name in .csv",
        "mnmodel page none.bif -o f.foo": "f.foo: no known format ends in .foo; end the name in .html",
        "mntools merge none-1 none-2 -o f.foo": "f.foo: no known format ends in .foo; end the name in .score or .blank",
        "mplearn none.csv --blankets-only -o f.foo": "f.foo: no known format ends in .foo; end the name in .blankets",
    }.items():
        refuse(line, 2, f"-o {message}")
    for line, message in {
        "mnmodel sample none.bif": "--edges f.dot: .dot means a graph, not a format of this",
        "mnmodel discretize none.csv": "--cuts f.png: .png means a picture, not a format of this",
        "lsmarkov none.csv": "--checkpoint f.csv: .csv means a table, not a format of this",
        "junctor none.csv": "--certificate f.png: .png means a picture, not a format of this",
        "junctor none.csv ": "--networks f.html: .html means a page, not a format of this",
        "mnposterior none.csv": "--samples f.xdsl: .xdsl means a model with probabilities, not a format of this",
        "mnposterior none.csv ": "--trajectory f.foo: no known format ends in .foo; end the name in .csv",
    }.items():
        refuse(f"{line} {message.split(':')[0]}", 2, message)


def test_the_best_network_is_written_as_it_is_or_refused_before_the_work(run, refuse, here):
    for name in ("a.cliques", "b.cliques", "c.dot"):
        assert run("lsmarkov", TINY, "--iterations", 9, "-q", "-o", name).code == 0
    assert run("mntools", "best", "a.cliques", "b.cliques", "-o", "best.cliques").code == 0
    assert run("mntools", "best", "a.cliques", "c.dot", "-o", "best").code == 0
    damaged = (here / "b.cliques").read_text().replace("# score -", "# score -9")
    (here / "b.cliques").write_text(damaged)  # which the check would warn of
    for line in ("a.cliques b.cliques -o x.dot", "c.dot b.cliques -o x.dot", "a.cliques b.cliques -o x.foo"):
        refuse(f"mntools best {line}", 2, f"-o {line.split()[-1]}: ")
    assert not list(here.glob("x.*"))


def test_parts_are_merged_into_a_file_of_their_kind(run, refuse, here):
    for part in ("1", "2"):
        assert run("dmscore", TINY, 1, 2, "--shard", f"{part}/2", "-q", "-o", f"s-{part}.part").code == 0
        words = ["--blankets-only", "--shard", f"{part}/2", "-q", "-o", f"b-{part}.part"]
        assert run("mplearn", TINY, *words).code == 0
    for kind, good, bad in (("s", "score", "blankets"), ("b", "blankets", "scores")):
        assert run("mntools", "merge", f"{kind}-1.part", f"{kind}-2.part", "-o", f"whole.{good}").code == 0
        refuse(f"mntools merge {kind}-1.part {kind}-2.part -o x.{bad}", 2, f"-o x.{bad}: no known format ends in")


@pytest.mark.parametrize("ending", ["", ".ckpt", ".proof", ".1", ".txt"])
def test_files_of_this_suite_alone_have_any_unknown_ending(ending):
    assert format_of_name(f"run{ending}", ("checkpoint",), "checkpoint") == "checkpoint"


def test_every_output_has_a_format_or_formats_of_its_own():
    """Every `-o` has `--format` beside it, or formats of its own."""
    for name, command in all_commands().items():
        by_option = any(isinstance(param, FormatOption) for param in command.params)
        for param in command.params:
            if isinstance(param.type, OutputPath) and param.name == "path":
                assert (
                    by_option
                    or param.type.formats
                    or name in ("mntools draw", "mntools plot", "mntools best", "papers plot")
                )


def test_the_recorded_command_has_the_format(run, here):
    line = f"lsmarkov {TINY} --iterations 9 -q --provenance -o net.gv"
    assert run(*line.split()).code == 0
    (command,) = [line[11:] for line in (here / "net.gv").read_text().splitlines() if line.startswith("// command ")]
    assert "--format dot" in command and run(*command.split(), "-q").stdout == (here / "net.gv").read_text()


def test_the_ending_chooses_the_format_in_python(tmp_path):
    import cliquewise

    network = cliquewise.lsmarkov(TINY, iterations=9)
    for one, endings, others in (
        (network, GRAPHS, ("png", "foo", "gz", "xdsl")),
        (cliquewise.fit(TINY, network), ("bif", "uai", "json", "xml"), ("png", "foo", "gz", "edges")),
    ):
        folder = tmp_path / type(one).__name__
        folder.mkdir()
        for ending in others:
            with pytest.raises(UsageError, match=f"net.{ending}: "):
                one.write(folder / f"net.{ending}")
        assert not list(folder.iterdir())
        for ending in ("", *(f".{each}" for each in endings)):
            one.write(folder / f"net{ending}")
    assert [read_graph(tmp_path / f"Network/net.{fmt}").kind for fmt in GRAPHS] == [*GRAPHS]
    assert kind_of_file(tmp_path / "Model/net.xml") == "XMLBIF"
