"""Makes the picture of a page in the README: `python -m tests.page_picture FILE.png` (`make page-picture`).

A network is learned from the zoo data and fitted, its page is opened in Chromium, and asked.
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image  # matplotlib brings it

from tests.commands import ROOT, command_line, run_process
from tests.mnmodel import browser as chromium

ASK = """
const index = name => data.names.indexOf(name);
toggleState(index('milk'), data.states[index('milk')].indexOf('False'));
byId('compare').click();
toggleState(index('legs'), data.states[index('legs')].indexOf('2'));
choose({variable: index('type')});
"""


def main(target):
    """Write the picture."""
    if chromium.lacking():
        sys.exit(chromium.lacking())
    data = ROOT / "data/zoo.csv"
    with tempfile.TemporaryDirectory() as folder, chromium.browser() as driver:
        for line in (
            f"lsmarkov {data} --ess 10 --max-clique 3 --iterations 20000 -q -o zoo.cliques",
            f"mnmodel fit {data} zoo.cliques -q -o zoo.bif",
            "mnmodel page zoo.bif -q -o zoo.html",
        ):
            name, *words = line.split()
            done = run_process([*command_line(name), *words], cwd=folder)
            assert done.code == 0, done.stderr
        chromium.resize(driver, 1240, 720)
        driver.get((Path(folder) / "zoo.html").as_uri())
        driver.execute_script(ASK)
        driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        picture = Image.open(io.BytesIO(driver.get_screenshot_as_png()))
        picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1])
