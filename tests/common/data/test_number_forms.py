"""Numbers that are written for people, as `mnmodel discretize` and the warning about measurements read them."""

import random
from pathlib import Path

import pytest

from cliquewise.common.data.number_forms import plain_numbers
from tests.reading import read_csv

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize(
    ("labels", "numbers"),
    [
        ("23,6|1,5|2", "23.6|1.5|2"),
        ("0,5|1,234", "0.5|1.234"),
        ("-1,5|+2,25", "-1.5|+2.25"),
        ("1,234.5|12,000|3", "1234.5|12000|3"),
        ("1,000,000|2,000", "1000000|2000"),
        ("1.234,50|2,5", "1234.50|2.5"),
        ("1 234|5 678|12", "1234|5678|12"),
        ("1\u00a0234|5\u00a0678", "1234|5678"),
        ("12 %|5%|7.5 %", "12|5|7.5"),
        ("5 mg|10 mg|2,5 mg", "5|10|2.5"),
        ("14,2 g/dl|9,8 g/dl|11 g/dl", "14.2|9.8|11"),
        ("24 kg/m\u00b2|31.5 kg/m\u00b2", "24|31.5"),
        ("24 kg/m2|31,5 kg/m2", "24|31.5"),
        ("36.6 \u00b0C|-4 \u00b0C", "36.6|-4"),
        ("90\u00b0|45\u00b0", "90|45"),
        ("$5|$10.50", "5|10.50"),
        ("5 \u20ac|7 \u20ac", "5|7"),
        ("1,234|980|12,001", "1234|980|12001"),
        ("5,015 km|980 km|1,234,567 km", "5015|980|1234567"),
        ("$7,384.23|$12.50|$1,000.00", "7384.23|12.50|1000.00"),
        ("1.234,50 \u20ac|2,50 \u20ac", "1234.50|2.50"),
        ("12 345 kg|980 kg", "12345|980"),
        ("2\u2019500.50|3\u2019100|12", "2500.50|3100|12"),
        ("CHF 14.50|CHF 7", "14.50|7"),
        ("\u20b92,500.50|\u20b9980.25", "2500.50|980.25"),
        ("-$5|$10.50|$1,000.25", "-5|10.50|1000.25"),
        ("(1,234.50)|17.25|(3.10)", "-1234.50|17.25|-3.10"),
        ("12.5-|3", "-12.5|3"),
        ("\u22124.5|3", "-4.5|3"),
        ("<0.1|0.1|0.25|2", "0.1|0.1|0.25|2"),
        ("<0,1|0,1|0,25|>7,5", "0.1|0.1|0.25|7.5"),
        ("< 5 mg|5 mg|7 mg|8 mg", "5|5|7|8"),
        ("90+|89|1", "90|89|1"),
        ("<0,5|" + "|".join(f"{k},25" for k in range(1, 40)), "0.5|" + "|".join(f"{k}.25" for k in range(1, 40))),
        ("(5 €)|" + "|".join(f"{k} €" for k in range(1, 40)), "-5|" + "|".join(f"{k}" for k in range(1, 40))),
        ("2.85K|1.2M|900K|3.75M", "2850|1200000|900000|3750000"),
        ("900|2.85K|1.2K", "900|2850|1200"),
        ("$1.2B|$350M|$980", "1200000000|350000000|980"),
        ("900|2m|3.5m", "900|2|3.5"),  # metres
        ("900|2 K|3.5 K", "900|2|3.5"),
        ("1,2 Mio|350 k|2,75 Mio", "1200000|350000|2750000"),
        ("4.0K|12M|1.5G", "4000|12000000|1500000000"),
        ("\uff11\uff12|\uff13\uff0e\uff15|7", "12|3.5|7"),
        ("\uff11\uff12\uff05|\uff15\uff05", "12|5"),
        ("\uff0d\uff11|\uff12", "-1|2"),
        ("\u0661\u0662\u066b\u0665|\u0663", "12.5|3"),
        (
            "|".join(f"{k},{k * 37 % 900 + 100}" for k in range(1, 30)),
            "|".join(f"{k}{k * 37 % 900 + 100}" for k in range(1, 30)),
        ),
    ],
)
def test_numbers_written_for_people_are_read(labels, numbers):
    labels = labels.split("|")
    _, plain = plain_numbers(labels)
    assert [plain.get(label, label) for label in labels] == numbers.split("|")


@pytest.mark.parametrize(
    "labels",
    [
        "1,234|5,678",
        "1,234|5,678|2001",
        "1,234 m|5,678 m",
        "1|2.5",
        "a|b",
        "1st|2nd",
        "Q1|Q2",
        "5 mg|5 ml",
        "5 mg/l|5 mg/dl",
        "120/80|130/85",
        "3,4,5|1",
        "1.2.2020|3.4.2021",
        "1,5|x",
        "5 mg",
        "<5|3|7|8",
        "7+|3|8|9",
        "<1|<2|<3|4|5",
        "(5)|(6)|(7)",
        "LOT 17|LOT 18",
        "$1.2K|\u20ac3M|$4M",
        "\uff11\uff12\u6b73|\uff11\u756a",
    ],
)
def test_labels_that_are_not_numbers_or_are_ambiguous(labels):
    assert plain_numbers(labels.split("|")) is None


def test_a_german_export_is_discretized(workplace, run):
    rng = random.Random(1)
    values = [rng.uniform(0, 100) for _ in range(60)]
    rows = "".join(f"{value:.2f};{k % 2}\n".replace(".", ",") for k, value in enumerate(values))
    workplace({"de.csv": "Wert;Gruppe\n" + rows, "en.csv": "Wert,Gruppe\n" + rows.replace(",", ".").replace(";", ",")})
    done = run("mnmodel", "discretize", "de.csv", "-o", "de-cut.csv")
    assert done.code == 0 and "read as numbers: Wert (a decimal comma, '" in done.stderr
    assert run("mnmodel", "discretize", "en.csv", "-o", "en-cut.csv").code == 0
    assert Path("de-cut.csv").read_text() == Path("en-cut.csv").read_text()
    assert run("mnmodel", "discretize", "de.csv", "--cuts", "c.csv", "-o", "x.csv").code == 0
    assert run("mnmodel", "discretize", "de.csv", "--apply", "c.csv", "-o", "y.csv").code == 0
    assert Path("y.csv").read_text() == Path("de-cut.csv").read_text()


def test_a_word_does_not_hide_measurements(tmp_path, caplog):
    (tmp_path / "t.csv").write_text("age,b\n" + "".join(f"{k * 1.5},{k % 2}\n" for k in range(40)) + "old,1\n")
    read_csv(tmp_path / "t.csv")
    assert "columns with too many different numbers to be states: 1" in caplog.text
    assert "--na=old --columns age" in caplog.text


def test_a_limit_is_in_the_class_of_its_number(workplace, run):
    """As missing cells, the lowest values would be completed by higher ones."""
    values = [*[f"{k / 10 + 0.5:.1f}" for k in range(60)], *["<0.5"] * 20, *[">6.4"] * 5]
    workplace({"lab.csv": "crp,b\n" + "".join(f"{value},{k % 2}\n" for k, value in enumerate(values))})
    assert run("mnmodel", "discretize", "lab.csv", "--columns", "crp", "--bins", "4", "-o", "cut.csv").code == 0
    classes = [line.rsplit(",", 1)[0].strip('"') for line in Path("cut.csv").read_text().splitlines()[1:]]
    assert set(classes[60:80]) == {classes[0]} and classes[0].startswith("(-inf")
    assert set(classes[80:]) == {classes[59]} and classes[59].endswith("inf)")


def test_a_limit_is_no_weight(workplace, run):
    workplace({"w.csv": "a,b,w\n" + "".join(f"{k % 2},{k % 3},{'<0.5' if k == 7 else 1 + k / 4}\n" for k in range(24))})
    done = run("mnmodel", "describe", "w.csv", "--weights", "w")
    assert done.code == 1 and "'<0.5' is not a weight" in done.stderr
