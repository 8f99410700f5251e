"""A fitted model; the browser of the tests of pages."""

import pytest

from cliquewise.common.drawing.page import write_page
from tests.mnmodel import browser as chromium


@pytest.fixture
def model(run, work):
    """The file of a network fitted to data.csv and net.edges, which the fixture `work` of a module writes."""
    assert run("mnmodel", "fit", "data.csv", "net.edges", "-q", "-o", "net.bif").code == 0
    return "net.bif"


@pytest.fixture(scope="session")
def driver():
    """One browser for all tests."""
    if chromium.lacking() is not None:
        pytest.skip(chromium.lacking())
    with chromium.browser() as driver:
        yield driver


@pytest.fixture
def look(driver, tmp_path):
    """Writes a page and opens it, `look(page, width, height, dark)`; at the end its console and requests were clean."""

    def opened(page, width=1200, height=800, dark=False):
        chromium.resize(driver, width, height, dark)
        driver.get("about:blank")
        driver.get_log("performance"), driver.get_log("browser")
        path = tmp_path / "page.html"
        write_page(path, page)
        driver.get(path.as_uri())
        return driver

    yield opened
    assert driver.get_log("browser") == []
    assert set(chromium.requested(driver)) <= {(tmp_path / "page.html").as_uri()}
